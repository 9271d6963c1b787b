// The three parts of Argo CD that the lab runs, as one program: ARGOCD_BINARY_NAME says which, as in Argo CD's own.
// Its command line, web server and the rest would double the time of a build.
package main

import (
	"os"

	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	appcontroller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/spf13/cobra"
)

func main() {
	commands := map[string]func() *cobra.Command{
		"argocd-application-controller":    appcontroller.NewCommand,
		"argocd-applicationset-controller": applicationset.NewCommand,
		"argocd-repo-server":               reposerver.NewCommand,
	}
	if commands[os.Getenv("ARGOCD_BINARY_NAME")]().Execute() != nil {
		os.Exit(1)
	}
}
