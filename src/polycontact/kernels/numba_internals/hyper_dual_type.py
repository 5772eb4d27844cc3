"""The compiled type of numbers that carry derivatives; `kernels/smooth/hyper_dual.py` has their arithmetic."""

from __future__ import annotations

from typing import Any, cast

from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.typeconv.castgraph import Conversion
from numba.extending import intrinsic, lower_cast, make_attribute_wrapper, register_model


class HyperDualType(types.Type):
    """To compiled code, four numbers."""

    def __init__(self) -> None:
        super().__init__(name="HyperDual")

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        """A plain number is one without derivatives: variables may hold first the one, then the other."""
        return Conversion.safe if isinstance(other, types.Float | types.Integer) else None


hyper_dual_type: Any = cast(Any, HyperDualType)()
_PARTS = ("f", "f1", "f2", "f12")


@register_model(HyperDualType)
class _HyperDualModel(models.StructModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, [(part, types.float64) for part in _PARTS])


for _part in _PARTS:
    make_attribute_wrapper(HyperDualType, _part, _part)


@intrinsic
def hyper_dual_of_parts(typing_context: Any, f: Any, f1: Any, f2: Any, f12: Any) -> Any:
    """A number from its value and its derivatives."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        made = cgutils.create_struct_proxy(hyper_dual_type)(context, builder)
        for part, value in zip(_PARTS, arguments, strict=True):
            setattr(made, part, value)
        return made._getvalue()

    return hyper_dual_type(types.float64, types.float64, types.float64, types.float64), generate


def _plain_number(context: Any, builder: Any, kind: Any, to: Any, value: Any) -> Any:
    made = cgutils.create_struct_proxy(hyper_dual_type)(context, builder)
    made.f = context.cast(builder, value, kind, types.float64)
    made.f1 = made.f2 = made.f12 = context.get_constant(types.float64, 0.0)
    return made._getvalue()


for _number in (types.Float, types.Integer):
    cast(Any, lower_cast)(_number, HyperDualType)(_plain_number)
