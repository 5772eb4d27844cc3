"""Steps of a run without Python: an integrator by the addresses of its C functions, and what follows each step.

`equations` is dy/dt as an integrator asks for it; `sundials_steps` makes steps with CVODE or IDA, which call
`sundials_calls`; `step_loop` is the loop of a run on a page.
"""
