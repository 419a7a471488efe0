"""What `evosdc_measures.lanes` names, as numba compiles it: instructions of the processor's vector unit."""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.cgutils import get_or_insert_function
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, models, register_model

from evosdc_measures.lanes import LANES


def _compiled_alone(typed: Callable[..., Any]) -> Any:
    """Return what kernels alone can call."""
    return intrinsic(typed)


class _Lanes(types.Type):
    """The type of the numbers in all lanes."""

    def __init__(self) -> None:
        super().__init__(name="NumbersInLanes")


_LANES: Any = _Lanes()
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    """How they lie in registers."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _offer(operation: Any, instruction: str) -> None:
    @infer_global(operation)
    class Typed(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            both = len(args) == 2 and all(isinstance(kind, _Lanes) for kind in args)
            return signature(_LANES, _LANES, _LANES) if both else None

    @lower_builtin(operation, _Lanes, _Lanes)  # type: ignore[untyped-decorator]
    def _lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return getattr(builder, instruction)(*args)


for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _offer(_operation, _instruction)


def _place(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    """Return the address of the numbers at a place of a flat array."""
    array = context.make_array(sig.args[0])(context, builder, args[0])
    first = builder.mul(args[1], ir.Constant(args[1].type, LANES))
    return builder.bitcast(builder.gep(array.data, [first]), _VECTOR.as_pointer())


@_compiled_alone
def load(typing: Any, array: Any, place: Any) -> Any:
    """See `evosdc_measures.lanes.load`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        value = builder.load(_place(context, builder, sig, args))
        value.align = 8
        return value

    return _LANES(array, types.intp), generate


@_compiled_alone
def store(typing: Any, array: Any, place: Any, value: Any) -> Any:
    """See `evosdc_measures.lanes.store`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        builder.store(args[2], _place(context, builder, sig, args), align=8)
        return context.get_dummy_value()

    return types.none(array, types.intp, _LANES), generate


@_compiled_alone
def alike(typing: Any, number: Any) -> Any:
    """See `evosdc_measures.lanes.alike`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), args[0], ir.Constant(ir.IntType(32), 0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), mask)

    return _LANES(types.float64), generate


def _chosen(comparison: str) -> Callable[[Any, Any, Any], Any]:
    def typed(typing: Any, value: Any, bound: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return builder.select(builder.fcmp_ordered(comparison, args[0], args[1]), args[0], args[1])

        return _LANES(_LANES, _LANES), generate

    return typed


greater = _compiled_alone(_chosen(">"))
lesser = _compiled_alone(_chosen("<"))


def _applied(name: str) -> Callable[[Any, Any], Any]:
    def typed(typing: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            kind = ir.FunctionType(_VECTOR, [_VECTOR])
            name_there = f"llvm.{name}.v{LANES}f64"
            function = get_or_insert_function(builder.module, kind, name_there)
            return builder.call(function, args)

        return _LANES(_LANES), generate

    return typed


size_of = _compiled_alone(_applied("fabs"))
root = _compiled_alone(_applied("sqrt"))


@_compiled_alone
def nearly(typing: Any, a: Any, b: Any, c: Any) -> Any:
    """See `evosdc_measures.lanes.nearly`."""

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        kind = ir.FunctionType(_VECTOR, [_VECTOR] * 3)
        function = get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{LANES}f64")
        return builder.call(function, args)

    return _LANES(_LANES, _LANES, _LANES), generate
