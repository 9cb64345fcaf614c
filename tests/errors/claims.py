"""Tensors that claim a size or a device that is not there; what rejects them never reads an element."""

import ctypes


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("byte_offset", ctypes.c_uint64),
        ("manager", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


# One of its own: ctypes.pythonapi's is shared with JAX, which gives it other types.
_new_capsule = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
)(("PyCapsule_New", ctypes.pythonapi))


class Claim:
    """A DLPack producer of a contiguous tensor of floats (or, with 8 bits, integers)."""

    def __init__(self, shape, device=(1, 0), bits=32):
        self.device = device
        self.extents = (ctypes.c_int64 * len(shape))(*shape)
        self.store = (ctypes.c_char * 128)()
        address = -(-ctypes.addressof(self.store) // 64) * 64
        code = 0 if bits == 8 else 2
        self.tensor = _DLTensor(
            address, *device, len(shape), code, bits, 1, self.extents, None, 0, None, None
        )

    def __dlpack__(self, **options):
        return _new_capsule(ctypes.addressof(self.tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return self.device
