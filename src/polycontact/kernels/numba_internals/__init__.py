"""All that touches Numba beyond its documented interface; nothing else in polycontact does.

Elsewhere polycontact uses ``numba.njit``, ``numba.prange``, ``numba.types``, ``numba.NumbaError``, its numbers of
threads, ``numba.config`` and ``numba.extending.overload``. What follows may change with any version of Numba. Kernels
import none of it: they import from ``jit``, ``views``, ``lanes``, ``four_at_once``, ``addresses``, ``local_arrays``
and ``smooth/hyper_dual``.

``versions.py`` says which versions are tested. With any other, each kernel is compiled by itself, without
``linking.py``: the same results, but the first use takes longer, and a line on the terminal says so.

`tools/kernel_profile.py` reads JITCodeLibrary and CPUDispatcher too.

When a new Numba comes out: ``python -m tools.numba_versions VERSION``. Where it passes, the version goes to `TESTED`
and into the lock files. Where it fails, the table says which file to look at first.

=====================  ================================================  ==============================================
file                   of Numba and llvmlite                             what for, and what to look at in a new version
=====================  ================================================  ==============================================
linking.py             core.codegen: JITCodeLibrary with _final_module,  Parts stay as they were lowered; an entry
                       _linking_libraries, _get_module_for_linking,      links them. Read ``finalize`` and
                       _optimize_final_module, _finalize_dynamic_globals ``_optimize_final_module`` in codegen.py: what
                       _verify_declare_only_symbols, _reload_init        they do besides linking must stay done here.
                       (since 0.63), _raise_if_finalized
linking.py             core.compiler: Compiler with _compile_core,       A part ends before machine code. Read
                       the flag no_compile, the result's fields          ``_compile_core`` and the pass that makes
                       (entry_point, fndesc, library, signature)         machine code in typed_passes.py.
linking.py             core.registry: CPUDispatcher with overloads,      A part called from Python is compiled as an
                       add_overload, _compile_for_args, _insert          entry. Read core/dispatcher.py.
linking.py             llvmlite.binding: Linkage                         Parts are called from their entry only.
function_cache.py      core.caching: FunctionCache, _CacheLocator,       Code is kept by the content of its sources, in
                       CompileResultCacheImpl with their private fields; a folder of ours. Read ``__init__`` of the
                       a dispatcher's _cache                             three classes, and ``IndexDataCacheFile``.
function_cache.py      core.caching: load_overload, _load_overload,      Code is loaded without what only compiling
                       rebuild, with what CompileResult._reduce gives;   needs. Read these, ``_unserialize`` in
                       core.codegen: _shared_module, _defined_symbols,   codegen.py, and ``load_additional_registries``
                       _get_module_for_linking; core.runtime.nrt: rtsys; in cpu.py: which symbols it adds to LLVM.
                       llvmlite.binding
compile_events.py      core.event: Listener, register, the event         The user is told what takes so long.
                       "numba:compile" with its dispatcher
view_types.py          core.types: Type, Array, Opaque;                  The compiled type of views and their
                       core.datamodel: models; core.typing.templates:    attributes. All of it is what numba.extending
                       AttributeTemplate; core.extending:                builds on, and rarely moves.
                       lower_getattr_generic, lower_setattr_generic;
                       np.arrayobj: populate_array; numba.extending:
                       NativeValue, infer_getattr, intrinsic,
                       register_model, typeof_impl, unbox
address_code.py        overloads, fndesc.llvm_cfunc_wrapper_name,        Calls by address; arrays at an address.
                       library.get_pointer_to_function; populate_array
stack_arrays.py        core.cgutils: alloca_once; populate_array         Small arrays on the stack.
lane_code.py           llvmlite.ir; core.cgutils:                        Vector instructions. A new LLVM may ask for
                       get_or_insert_function, unpack_tuple              typed addresses to be written otherwise.
hyper_dual_type.py     core.datamodel: models;                           Numbers with derivatives in users' functions.
                       core.typeconv.castgraph: Conversion;
                       core.cgutils: create_struct_proxy;
                       numba.extending: lower_cast,
                       make_attribute_wrapper
host_processor.py      llvmlite.binding: get_host_cpu_features           Which of the libraries built ahead fits.
named_intrinsics.py    numba.extending: intrinsic, which reads           Intrinsics with a number of arguments that is
                       the signature of its function                     known only when they are made.
=====================  ================================================  ==============================================
"""
