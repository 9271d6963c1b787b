"""Small repositories at random: bases, a component and an overlay that use whatever Kustomize offers.

Most of them build, since what they name is there; some do not, and then the
real tool must refuse them, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import yaml
from hypothesis import strategies as st

Draw = Callable[[st.SearchStrategy[Any]], Any]
Value = dict[str, Any]

NAMES = ["web", "db", "api"]
SPACES = ["one", "two"]
KEYS = ["app", "env", "example.com/team"]
VARIABLES = ["WEB", "DB"]


class Plain(str):
    """A text to be written without quotes, whatever it then means."""


TEXTS = ["a", "yes", "true", "1", "0644", "1e3", "null", "", "a: b", "two\nlines\n", "~", "2024-01-02", "ä", " x ", "#"]
PLAIN = [
    Plain(text)
    for text in ("yes", "on", "0o17", "0644", "0x1F", "1e3", "1.0", "1_000", "~", "null", "true", "12:30", "1.10")
]
texts = st.sampled_from(TEXTS)
uses_of_variables = st.sampled_from(["$(WEB)", "http://$(WEB)/$(DB)", "$$(WEB)", "$(NOBODY)", "$(WEB"])
scalars = st.one_of(texts, st.sampled_from(PLAIN), st.integers(-5, 99999), st.booleans(), st.none())
names = st.sampled_from(NAMES)
label_maps = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["x", "z", "1", "true"]), min_size=1, max_size=2)
images = st.sampled_from(["nginx", "nginx:1.0", "example.com:5000/team/app", "app@sha256:" + "a" * 64, "app:2@sha256:" + "b" * 64])  # fmt: skip


def maybe(draw: Draw, into: Value, key: str, strategy: st.SearchStrategy[Any], chance: int = 2) -> None:
    """Set a key, one time in so many."""
    if sometimes(draw, chance):
        into[key] = draw(strategy)


def sometimes(draw: Draw, chance: int) -> bool:
    """Never, when an example is made smaller."""
    return bool(draw(st.integers(1, chance)) == chance)


# -- objects


def container(draw: Draw, name: str) -> Value:
    made: Value = {"name": name, "image": draw(images)}
    maybe(draw, made, "args", st.lists(st.one_of(texts, uses_of_variables), max_size=2))
    maybe(draw, made, "env", st.lists(variables, max_size=2, unique_by=lambda one: one["name"]))
    maybe(draw, made, "envFrom", st.lists(sources, max_size=2), 3)
    maybe(draw, made, "ports", st.lists(ports, max_size=2, unique_by=lambda one: one["containerPort"]), 3)
    maybe(draw, made, "volumeMounts", st.lists(mounts, max_size=2, unique_by=lambda one: one["mountPath"]), 3)
    return made


variables = st.one_of(
    st.builds(lambda name, value: {"name": name, "value": value}, st.sampled_from("ABC"), texts),
    st.builds(
        lambda name, kind, to: {"name": name, "valueFrom": {f"{kind}KeyRef": {"name": to, "key": "k"}}},
        st.sampled_from("ABC"),
        st.sampled_from(["secret", "configMap"]),
        st.sampled_from([*NAMES, "made", "made2"]),
    ),
)
sources = st.builds(
    lambda kind, to: {kind: {"name": to}},
    st.sampled_from(["secretRef", "configMapRef"]),
    st.sampled_from([*NAMES, "made", "made2"]),
)
ports = st.builds(
    lambda number, more: {"containerPort": number, **more},
    st.sampled_from([80, 443, 53]),
    st.sampled_from([{}, {"name": "p"}, {"protocol": "TCP"}, {"protocol": "UDP"}]),
)
mounts = st.builds(lambda path: {"name": "v", "mountPath": path}, st.sampled_from(["/a", "/b"]))
volumes = st.one_of(
    st.builds(lambda to: {"name": "v", "configMap": {"name": to}}, st.sampled_from([*NAMES, "made"])),
    st.builds(lambda to: {"name": "w", "secret": {"secretName": to}}, st.sampled_from([*NAMES, "made"])),
    st.builds(lambda to: {"name": "x", "persistentVolumeClaim": {"claimName": to}}, names),
)


def pod(draw: Draw) -> Value:
    made: Value = {"containers": [container(draw, name) for name in draw(st.sampled_from([["c"], ["c", "d"]]))]}
    maybe(draw, made, "serviceAccountName", names)
    maybe(draw, made, "volumes", st.lists(volumes, max_size=2, unique_by=lambda one: one["name"]))
    maybe(draw, made, "nodeSelector", label_maps, 4)
    maybe(draw, made, "tolerations", st.just([{"key": "a", "operator": "Exists"}]), 4)
    return made


def template(draw: Draw) -> Value:
    made: Value = {"spec": pod(draw)}
    maybe(draw, made, "metadata", st.builds(lambda labels: {"labels": labels}, label_maps))
    return made


def deployment(draw: Draw) -> Value:
    spec: Value = {"template": template(draw)}
    maybe(draw, spec, "replicas", st.integers(0, 3))
    maybe(draw, spec, "selector", st.builds(lambda labels: {"matchLabels": labels}, label_maps))
    return {"spec": spec}


def subjects(draw: Draw) -> list[Value]:
    found = []
    for name in draw(st.lists(st.sampled_from([*NAMES, "default"]), max_size=2)):
        one: Value = {"kind": "ServiceAccount", "name": name}
        maybe(draw, one, "namespace", st.sampled_from([*SPACES, "default"]))
        found.append(one)
    return found


def binding(draw: Draw) -> Value:
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": draw(names)}
    return {"roleRef": role, "subjects": subjects(draw)}


def service(draw: Draw) -> Value:
    spec: Value = {}
    maybe(draw, spec, "selector", label_maps)
    maybe(draw, spec, "ports", st.just([{"port": 80, "name": "http"}, {"port": 443, "name": "https"}]))
    return {"spec": spec} if spec or draw(st.booleans()) else {}


def ingress(draw: Draw) -> Value:
    path = {"path": "/", "backend": {"service": {"name": draw(names), "port": {"number": 80}}}}
    return {"spec": {"rules": [{"http": {"paths": [path]}}], "tls": [{"secretName": draw(names)}]}}


KINDS: dict[str, tuple[str, Callable[[Draw], Value]]] = {
    "ConfigMap": ("v1", lambda draw: {"data": draw(st.dictionaries(st.sampled_from(["k", "on", "x.y"]), texts, max_size=2))}),
    "Secret": ("v1", lambda draw: {"stringData": {"k": draw(texts)}}),
    "Service": ("v1", service),
    "ServiceAccount": ("v1", lambda draw: {"secrets": [{"name": draw(names)}]}),
    "PersistentVolumeClaim": ("v1", lambda draw: {}),
    "Namespace": ("v1", lambda draw: {}),
    "Deployment": ("apps/v1", deployment),
    "StatefulSet": ("apps/v1", lambda draw: {"spec": {"serviceName": draw(names), "template": template(draw)}}),
    "CronJob": ("batch/v1", lambda draw: {"spec": {"jobTemplate": {"spec": {"template": template(draw)}}}}),
    "Role": ("rbac.authorization.k8s.io/v1", lambda draw: {"rules": [{"resourceNames": [draw(names)], "verbs": ["get"], "resources": ["secrets"]}]}),
    "RoleBinding": ("rbac.authorization.k8s.io/v1", binding),
    "ClusterRoleBinding": ("rbac.authorization.k8s.io/v1", binding),
    "Ingress": ("networking.k8s.io/v1", ingress),
    "HorizontalPodAutoscaler": ("autoscaling/v2", lambda draw: {"spec": {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": draw(names)}}}),
    "Pod": ("v1", lambda draw: {"spec": pod(draw)}),
    "NetworkPolicy": ("networking.k8s.io/v1", lambda draw: {"spec": {"podSelector": draw(st.sampled_from([{}, {"matchLabels": {"app": "x"}}]))}}),
    "Bee": ("example.com/v1", lambda draw: {"spec": draw(bees)}),
}  # fmt: skip


def bee_maps(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(["a", "name", "image", "containers"]), inner, max_size=3)


bees = bee_maps(st.recursive(scalars, lambda inner: st.lists(inner, max_size=2) | bee_maps(inner), max_leaves=6))


def drawn_object(draw: Draw) -> Value:
    kind = draw(st.sampled_from(list(KINDS)))
    version, body = KINDS[kind]
    meta: Value = {"name": draw(names)}
    maybe(draw, meta, "namespace", st.sampled_from([*SPACES, "default"]), 6)
    maybe(draw, meta, "labels", label_maps, 3)
    maybe(draw, meta, "annotations", label_maps, 4)
    return {"apiVersion": version, "kind": kind, "metadata": meta, **body(draw)}


def drawn_objects(draw: Draw, most: int) -> list[Value]:
    found: dict[tuple[str, ...], Value] = {}
    for _ in range(draw(st.integers(1, most))):
        one = drawn_object(draw)
        space = one["metadata"].get("namespace", "default")
        found.setdefault((one["kind"], one["metadata"]["name"], space), one)
    return list(found.values())


# -- what a kustomization does


def strategic_patch(draw: Draw, one: Value) -> Value:
    """A patch of an object that is there, with a few of the fields its kind has."""
    fresh = KINDS[one["kind"]][1](draw)
    meta = {key: one["metadata"][key] for key in ("name", "namespace") if key in one["metadata"]}
    maybe(draw, meta, "labels", label_maps, 4)
    made = {"apiVersion": one["apiVersion"], "kind": one["kind"], "metadata": meta, **fresh}
    twist = draw(st.sampled_from(["", "", "", "null", "delete", "replace", "delete all"]))
    if twist == "null":
        made[draw(st.sampled_from(["spec", "data", "rules"]))] = None
    elif twist == "delete all":
        made["$patch"] = "delete"
    elif twist and isinstance(made.get("spec"), dict):
        _twisted(draw, made["spec"])["$patch"] = twist
    return made


def _twisted(draw: Draw, spec: Value) -> Value:
    """The mapping that a directive goes into: the spec itself, that of the pod, or a container."""
    pod = spec.get("template", {}).get("spec") if isinstance(spec.get("template"), dict) else None
    inner = [pod, *pod["containers"]] if pod else []
    return draw(st.sampled_from([spec, *inner]))  # type: ignore[no-any-return]


def json_patch(draw: Draw) -> list[Value]:
    """Operations that apply to most objects."""
    return [draw(operations) for _ in range(draw(st.integers(1, 3)))]


operations = st.one_of(
    st.builds(
        lambda path, value: {"op": "add", "path": path, "value": value},
        st.sampled_from(["/metadata/annotations", "/metadata/labels", "/metadata/extra", "/spec", "/data"]),
        st.builds(lambda value: {"k": value}, scalars),
    ),
    st.builds(
        lambda path, value: {"op": "add", "path": path, "value": value},
        st.sampled_from(["/metadata/annotations/a~1b", "/metadata/labels/app", "/metadata/x"]),
        st.sampled_from(["x", "1"]),
    ),
    st.sampled_from(
        [
            {"op": "replace", "path": "/metadata/name", "value": "renamed"},
            {"op": "copy", "from": "/metadata/name", "path": "/metadata/copied"},
            {"op": "test", "path": "/metadata/name", "value": "web"},
            {"op": "remove", "path": "/metadata/labels"},
            {"op": "remove", "path": "/spec/template"},
            {"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "nginx:3"},
            {"op": "add", "path": "/spec/template/spec/containers/0", "value": {"name": "first", "image": "nginx"}},
            {"op": "add", "path": "/spec/template/spec/containers/-", "value": {"name": "last"}},
        ]
    ),
)


def target(draw: Draw, objects: list[Value]) -> Value:
    one = draw(st.sampled_from(objects))
    made: Value = {"kind": one["kind"]}
    maybe(draw, made, "name", st.sampled_from([one["metadata"]["name"], "w.*", "web|db"]))
    maybe(draw, made, "namespace", st.sampled_from(["one", "default", "o.*"]), 6)
    maybe(draw, made, "labelSelector", st.sampled_from(["app=x", "env", "app!=z", "env in (x, z)"]), 4)
    return made


def patch_entry(draw: Draw, objects: list[Value]) -> Value:
    if draw(st.booleans()):
        return {"target": target(draw, objects), "patch": dumped(json_patch(draw))}
    one = draw(st.sampled_from(objects))
    entry: Value = {"patch": dumped(strategic_patch(draw, one))}
    if sometimes(draw, 3):
        entry["target"] = target(draw, objects)
        maybe(draw, entry, "options", st.sampled_from([{"allowNameChange": True}, {"allowKindChange": True}]), 3)
    return entry


def generator_entry(draw: Draw, name: str, behavior: str) -> Value:
    made: Value = {"name": name}
    literals = st.builds("{}={}".format, st.sampled_from("abc"), st.sampled_from(["1", "true", "", "a b", '"q"', "ä"]))
    made["literals"] = draw(st.lists(literals, max_size=2, unique_by=lambda one: one[0]))
    maybe(draw, made, "files", st.sampled_from([["file.txt"], ["key=file.txt"]]), 3)
    maybe(draw, made, "envs", st.just(["file.env"]), 4)
    if behavior:
        made["behavior"] = behavior
    maybe(draw, made, "options", st.sampled_from([{"disableNameSuffixHash": True}, {"immutable": True}, {"labels": {"app": "gen"}}]), 3)  # fmt: skip
    return made


def replacement(draw: Draw, objects: list[Value]) -> Value:
    one, other = draw(st.sampled_from(objects)), draw(st.sampled_from(objects))
    path = draw(st.sampled_from(["metadata.name", "kind", "apiVersion"]))
    to = draw(st.sampled_from(["metadata.annotations.from", "metadata.labels.app", "spec.copied.deep"]))
    options: Value = {"create": True}
    if sometimes(draw, 4):
        options |= {"delimiter": "-", "index": draw(st.integers(-1, 2))}
    source = {"kind": one["kind"], "name": one["metadata"]["name"], "fieldPath": path}
    select = {"kind": other["kind"], "name": other["metadata"]["name"]}
    return {"source": source, "targets": [{"select": select, "fieldPaths": [to], "options": options}]}


image_entries = st.builds(
    lambda name, change: {"name": name, **change},
    st.sampled_from(["nginx", "app", "example.com:5000/team/app"]),
    st.sampled_from([{"newTag": "9"}, {"newName": "other/x"}, {"newName": "v", "newTag": "8"}, {"digest": "sha256:" + "c" * 64}]),
)  # fmt: skip
label_entries = st.builds(
    lambda pairs, more: {"pairs": pairs, **more},
    label_maps,
    st.sampled_from([{}, {"includeSelectors": True}, {"includeTemplates": True}]),
)
transformers = st.sampled_from(
    [
        {"kind": "PrefixTransformer", "prefix": "t-", "fieldSpecs": [{"path": "metadata/name"}]},
        {"kind": "SuffixTransformer", "suffix": "-t", "fieldSpecs": [{"path": "metadata/name", "kind": "Service"}]},
        {
            "kind": "LabelTransformer",
            "labels": {"env": "t"},
            "fieldSpecs": [{"path": "metadata/labels", "create": True}],
        },
        {"kind": "NamespaceTransformer", "metadata": {"name": "n", "namespace": "set"}, "unsetOnly": True},
        {
            "kind": "NamespaceTransformer",
            "metadata": {"name": "n", "namespace": "set"},
            "setRoleBindingSubjects": "none",
        },
        {"kind": "ImageTagTransformer", "imageTag": {"name": "nginx", "newTag": "t"}},
    ]
)
CONFIGURATION = {
    "nameReference": [{"kind": "ConfigMap", "fieldSpecs": [{"path": "spec/name", "kind": "Bee"}]}],
    "images": [{"path": "spec/image", "kind": "Bee"}],
    "commonAnnotations": [{"path": "spec/a/annotations", "create": True, "kind": "Bee"}],
}


def kustomization(draw: Draw, objects: list[Value], level: str, made_below: list[str]) -> Value:
    """Everything but the resources; the names of generated objects of bases may be merged into."""
    found: Value = {}
    maybe(draw, found, "namePrefix", st.sampled_from([f"{level}-", "p-"]), 3)
    maybe(draw, found, "nameSuffix", st.sampled_from([f"-{level}", "-s"]), 4)
    maybe(draw, found, "namespace", st.sampled_from(["one", "shop"]), 3)
    maybe(draw, found, "commonLabels", label_maps, 4)
    maybe(draw, found, "labels", st.lists(label_entries, min_size=1, max_size=2), 4)
    maybe(draw, found, "commonAnnotations", label_maps, 4)
    maybe(draw, found, "images", st.lists(image_entries, min_size=1, max_size=2), 4)
    scaled = [one["metadata"]["name"] for one in objects if one["kind"] in ("Deployment", "StatefulSet")]
    if scaled:
        counts = st.builds(
            lambda name, count: {"name": name, "count": count}, st.sampled_from(scaled), st.integers(0, 9)
        )
        maybe(draw, found, "replicas", st.lists(counts, min_size=1, max_size=2), 3)
    if sometimes(draw, 2):
        found["patches"] = [patch_entry(draw, objects) for _ in range(draw(st.integers(1, 2)))]
    if sometimes(draw, 6):
        found["patchesStrategicMerge"] = [dumped(strategic_patch(draw, draw(st.sampled_from(objects))))]
    if sometimes(draw, 4):
        found["replacements"] = [replacement(draw, objects)]
    _add_generators(draw, found, made_below)
    _add_variables(draw, found, objects, level)
    if sometimes(draw, 8):
        found["transformers"] = [dumped({"apiVersion": "builtin", "metadata": {"name": "t"}, **draw(transformers)})]
    maybe(
        draw, found, "generatorOptions", st.sampled_from([{"disableNameSuffixHash": True}, {"labels": {"env": "g"}}]), 6
    )
    maybe(draw, found, "sortOptions", st.just({"order": "fifo"}), 5)
    maybe(draw, found, "buildMetadata", st.just(["managedByLabel"]), 12)
    maybe(draw, found, "configurations", st.just(["config.yaml"]), 8)
    return found


def _add_variables(draw: Draw, found: Value, objects: list[Value], level: str) -> None:
    """Each level has a variable of its own."""
    if sometimes(draw, 5) and level in ("base", "top"):
        one = draw(st.sampled_from(objects))
        refers = {"apiVersion": one["apiVersion"], "kind": one["kind"], "name": one["metadata"]["name"]}
        found["vars"] = [{"name": VARIABLES[level == "top"], "objref": refers}]


def _add_generators(draw: Draw, found: Value, made_below: list[str]) -> None:
    for field in ("configMapGenerator", "secretGenerator"):
        if sometimes(draw, 3):
            merged = made_below and field == "configMapGenerator" and draw(st.booleans())
            free = [name for name in ("made", "made2") if name not in made_below] or ["made3"]
            name = made_below[0] if merged else draw(st.sampled_from(free))
            behavior = draw(st.sampled_from(["merge", "replace"])) if merged else draw(st.sampled_from(["", "create"]))
            found[field] = [generator_entry(draw, name, behavior)]


# -- a repository


class _Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data: object) -> bool:
        return True


def _plain(dumper: yaml.SafeDumper, text: Plain) -> yaml.Node:
    tag = dumper.resolve(yaml.ScalarNode, str(text), (True, False))  # type: ignore[no-untyped-call]
    return yaml.ScalarNode(tag, str(text))


_Dumper.add_representer(Plain, _plain)


def dumped(value: Any) -> str:
    return yaml.dump(value, Dumper=_Dumper, sort_keys=False, allow_unicode=True)


def written(draw: Draw, objects: list[Value]) -> dict[str, str]:
    """The objects in files: one each, one for all, a List, or JSON."""
    how = draw(st.sampled_from(["each", "all", "all", "list", "json"]))
    if how == "each":
        return {f"o{index}.yaml": dumped(one) for index, one in enumerate(objects)}
    if how == "list":
        return {"list.yaml": dumped({"apiVersion": "v1", "kind": "List", "items": objects})}
    if how == "json" and len(objects) == 1:
        return {"o.json": json.dumps(objects[0], indent=2)}
    return {"all.yaml": "---\n".join(map(dumped, objects))}


@st.composite
def repositories(draw: Draw) -> dict[str, str]:
    """The texts by path; `overlay` is what to build."""
    files: dict[str, str] = {}
    objects: list[Value] = []
    resources: list[str] = []
    made: list[str] = []
    for base in draw(st.sampled_from([["base"], ["base", "other"]])):
        own = drawn_objects(draw, 4)
        if base == "other":
            taken = {(one["kind"], one["metadata"]["name"]) for one in objects}
            own = [one for one in own if (one["kind"], one["metadata"]["name"]) not in taken]
        if own:
            below = kustomization(draw, own, base, [])
            _put(draw, files, base, below, own, [])
            made += [one["name"] for one in below.get("configMapGenerator", []) if one["name"] not in made]
            objects += own
            resources.append(f"../{base}")
    if sometimes(draw, 3):
        middle = kustomization(draw, objects, "mid", made)
        _put(draw, files, "middle", middle, [], resources)
        made += [one["name"] for one in middle.get("configMapGenerator", []) if one["name"] not in made]
        resources = ["../middle"]
    above = kustomization(draw, objects, "top", made)
    if sometimes(draw, 3):
        made += [one["name"] for one in above.get("configMapGenerator", []) if one["name"] not in made]
        component = kustomization(draw, objects, "part", made)
        component |= {"apiVersion": "kustomize.config.k8s.io/v1alpha1", "kind": "Component"}
        _put(draw, files, "part", component, [], [])
        above["components"] = ["../part"]
    _put(draw, files, "overlay", above, [], resources)
    return files


def _put(
    draw: Draw, files: dict[str, str], folder: str, kustomization: Value, objects: list[Value], more: list[str]
) -> None:
    texts = written(draw, objects) if objects else {}
    if texts or more:
        kustomization["resources"] = [*texts, *more]
    if "configurations" in kustomization:
        texts["config.yaml"] = dumped(CONFIGURATION)
    if any("file" in str(kustomization.get(field)) for field in ("configMapGenerator", "secretGenerator")):
        texts["file.txt"] = draw(st.sampled_from(["", "one", "one\n", "tab\there\n", "trailing \nä\n", "\n\nx\n"]))
        texts["file.env"] = draw(st.sampled_from(["", "A=1\n", "# no\nB=a b\n\nC=", 'D="q"\n']))
    texts["kustomization.yaml"] = dumped(kustomization)
    files.update({f"{folder}/{name}": text for name, text in texts.items()})
