"""What a scenario file may contain, one concept a module; `scenario.ScenarioModel` is the whole file."""
