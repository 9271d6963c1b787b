"""From the model to a result: rules, the engine, config, triage, baseline, grades and causes."""
