"""The two shapes in which a function says how it went. Plain dictionaries, which JSON takes."""


def success_result(message, prompt=None, **context):
    """It went well. `prompt` says what could be done next; everything else is what came of it."""
    result = {"success": True, "message": str(message)}
    if prompt is not None:
        result["prompt"] = str(prompt)
    return _with_context(result, context)


def error_result(message, error=None, **context):
    """It did not: the host makes a tool error of this. `error` is the reason."""
    return _with_context(
        {
            "success": False,
            "message": str(message),
            "error": str(message) if error is None else str(error),
        },
        context,
    )


def _with_context(result, context):
    if context:
        result["context"] = context
    return result
