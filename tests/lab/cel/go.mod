module gitops-lint/cel

go 1.24

require k8s.io/apiserver v0.34.4
