// What the API server's own CEL library makes of expressions. Reads lines of
// {"cel": "…", "data": {"self": …}} and answers each with true, false, failed,
// refused or other. `go mod tidy && go build` makes it; the answers that the tests
// hold linter/dialects/cel.py against are kept in tests/data/cel_answers.json.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/google/cel-go/cel"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

type question struct {
	Cel  string                 `json:"cel"`
	Data map[string]interface{} `json:"data"`
}

func main() {
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 34), true).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", cel.DynType)},
	})
	if err != nil {
		panic(err)
	}
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var asked question
		decoder := json.NewDecoder(bytes.NewReader(in.Bytes()))
		decoder.UseNumber()
		if err := decoder.Decode(&asked); err != nil {
			panic(err)
		}
		fmt.Println(answer(set.NewExpressionsEnv(), asked))
	}
}

func answer(env *cel.Env, asked question) string {
	ast, issues := env.Compile(asked.Cel)
	if issues.Err() != nil {
		return fmt.Sprintf("refused %q", issues.Err().Error())
	}
	program, err := env.Program(ast)
	if err != nil {
		return fmt.Sprintf("refused %q", err.Error())
	}
	data := map[string]interface{}{}
	for name, value := range asked.Data {
		data[name] = decoded(value)
	}
	value, _, err := program.Eval(data)
	if err != nil {
		return fmt.Sprintf("failed %q", err.Error())
	}
	if yes, ok := value.Value().(bool); ok {
		return fmt.Sprint(yes)
	}
	return fmt.Sprintf("other %q", fmt.Sprint(value.Value()))
}

// decoded has whole numbers as integers, as Kubernetes reads JSON.
func decoded(value interface{}) interface{} {
	switch found := value.(type) {
	case json.Number:
		if whole, err := strconv.ParseInt(string(found), 10, 64); err == nil {
			return whole
		}
		number, _ := found.Float64()
		return number
	case []interface{}:
		for at := range found {
			found[at] = decoded(found[at])
		}
	case map[string]interface{}:
		for key := range found {
			found[key] = decoded(found[key])
		}
	}
	return value
}
