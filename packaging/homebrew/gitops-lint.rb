# For a tap of ours. The address and the sum are those of the release; `brew update-python-resources`
# writes what is between the marks.
class GitopsLint < Formula
  include Language::Python::Virtualenv

  desc "Says, before the merge, what will go wrong when Argo CD syncs a GitOps repository"
  homepage "https://github.com/gitops-lint/gitops-lint"
  url "https://files.pythonhosted.org/packages/source/g/gitops-lint/gitops_lint-0.1.0.tar.gz"
  sha256 "SHA256_OF_THE_RELEASE"
  license "Apache-2.0"

  depends_on "helm"
  depends_on "libyaml"
  depends_on "python@3.13"

  # resources: begin
  # resources: end

  def install
    virtualenv_install_with_resources
    generate_completions_from_executable(bin/"gitops-lint", "completion")
  end

  test do
    (testpath/"job.yaml").write <<~YAML
      apiVersion: batch/v1
      kind: Job
      metadata:
        name: migrate
        annotations:
          argocd.argoproj.io/hook: PreSync
      spec:
        template: {}
    YAML
    assert_match "hook-without-deadline", shell_output("#{bin}/gitops-lint --output-format concise", 1)
  end
end
