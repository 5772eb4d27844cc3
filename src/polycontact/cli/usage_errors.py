"""What is wrong with the words of a command, told for those who typed them."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from cyclopts import CoercionError, CycloptsError, MissingArgumentError, Token, UnknownCommandError
from cyclopts.exceptions import RepeatArgumentError, UnusedCliTokensError

NUMBERS = {int: "a whole number", float: "a plain number, in the unit that the help names"}


def usage_message(error: CycloptsError, program: str = "polycontact") -> str:
    """What is wrong, and the command whose help is meant."""
    command = " ".join((program, *(error.command_chain or ())))
    return f"{_what_is_wrong(error)} See '{command} --help'."


def whole_number(kind: Any, tokens: Sequence[Token]) -> Any:
    """Whole numbers from words; the parser by itself would round 1.5 to 2."""
    numbers = []
    for token in tokens:
        try:
            numbers.append(int(token.value))
        except ValueError:
            raise CoercionError(token=token, target_type=int) from None
    return numbers if "list" in str(kind) else numbers[0]


def _what_is_wrong(error: CycloptsError) -> str:
    match error:
        case UnusedCliTokensError(unused_tokens=[first, *_]):
            return _too_many(error, first)
        case UnknownCommandError(unused_tokens=[word, *_]):
            return _unknown_command(error, word)
        case MissingArgumentError(argument=argument) if argument is not None:
            return _missing(error, argument)
        case CoercionError(token=Token() as token, target_type=kind) if kind in NUMBERS:
            name = token.keyword or (error.argument.name if error.argument is not None else "the argument")
            return f'{name} is "{token.value}"; give {NUMBERS[kind]}.'
        case RepeatArgumentError(token=token):
            return f"{token.keyword} is given more than once."
    return str(error)


def _too_many(error: CycloptsError, word: str) -> str:
    """A word that nothing takes; of commands with commands of their own, those may be misspelt."""
    known = _commands(error)
    for each in error.root_input_tokens or ():
        if close := get_close_matches(each, known, n=1):
            chain = " ".join(("polycontact", *(error.command_chain or ())))
            return f"'{word}' is one word too many; did you mean '{chain} {close[0]}' instead of '{each}'?"
    return f"'{word}' is one word too many; put names with spaces in quotes."


def _unknown_command(error: CycloptsError, word: str) -> str:
    if word.startswith("-"):
        return f"there is no option {word} without a command."
    known = _commands(error)
    close = get_close_matches(word.lower(), known, n=1)
    return f"there is no command '{word}'; " + (f"did you mean '{close[0]}'?" if close else f"give {_listed(known)}.")


def _commands(error: CycloptsError) -> list[str]:
    """Names of the commands among which the parser chose."""
    return sorted(name for name in error.app or () if not name.startswith("-"))


def _missing(error: MissingArgumentError, argument: Any) -> str:
    if error.keyword is None:
        return f"{argument.name} is missing."
    count, _ = argument.token_count()
    return f"{error.keyword} needs {'a value' if count < 2 else f'{count} values'} after it."


def _listed(words: Sequence[str]) -> str:
    return f"{', '.join(words[:-1])} or {words[-1]}"
