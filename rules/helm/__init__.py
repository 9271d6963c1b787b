"""Rules about charts: what Helm and Argo CD refuse, and what comes out differently than in a release of Helm."""
