"""Short names of models that describe themselves at length."""

PIPELINE = "Pipeline(steps=["


def last_step(model: str) -> str:
    """A model as it describes itself; of a pipeline, its last step, which predicts.

    >>> last_step("Pipeline(steps=[('scale', StandardScaler()), ('lr', LogisticRegression(C=0.1))])")
    'LogisticRegression(C=0.1)'
    >>> last_step("GaussianNB()"), last_step("Pipeline(steps=[])")
    ('GaussianNB()', 'Pipeline(steps=[])')
    """
    if not model.startswith(PIPELINE):
        return model
    depth, begin, end = 0, 0, 0
    for at, sign in enumerate(model[len(PIPELINE) :], len(PIPELINE)):
        if sign in "([{":
            depth += 1
            begin = at + 1 if depth == 1 else begin
        elif sign in ")]}":
            depth -= 1
            end = at if depth == 0 else end
        if depth < 0:
            break
    step = model[begin:end].partition(", ")[2]
    return last_step(step) if step else model
