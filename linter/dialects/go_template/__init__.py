"""The two template languages of ApplicationSets, evaluated without running anything.

`gotemplate.render` is Go's text/template with the functions that Argo CD adds,
`fasttemplate.render` the plain substitution that is used when goTemplate is off.
A repository may be hostile, so both are bounded in time, depth and output. No
library for Python that is kept up reads Go's templates.
"""
