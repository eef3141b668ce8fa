#!/bin/sh
# Builds packages/simtape/src/codec/zstd.wasm: Zstandard 1.5.7, as the npm package zstd-napi carries its sources.
#
# It works in words of 64 bits, which WebAssembly has, although its addresses have 32: sixty-four-bits.patch. It reads a
# third faster so, and writes a tenth faster: the same bytes as any other build of this version. The decoder's loop for
# four streams at once is left out: it is no faster here, and does not notice bits that are left over at the end of a
# stream.
#
# Needs (Debian 12): apt-get install clang lld wasi-libc libclang-rt-dev-wasm32, and npm. No binaryen: clang would run
# its wasm-opt, which does not know bulk memory.
set -eu

package=zstd-napi@0.0.13
integrity=12b185f8aa353ec6e8a14ea80bfb1cfdd8a258ac156b491dff9024152b3b920e64c1c12e3ad4b33b2df150e69d5d094054d69bf53c6cc5a524de13aaddc8ff94

home=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

npm pack --silent "$package" >/dev/null
echo "$integrity  zstd-napi-0.0.13.tgz" | sha512sum --check --quiet
tar -xzf zstd-napi-0.0.13.tgz
mv package/deps/zstd/lib zstd
patch --quiet -p1 -d zstd <"$home/scripts/zstd/sixty-four-bits.patch"

flags="--target=wasm32-wasi -isystem /usr/include/wasm32-wasi -mbulk-memory -mnontrapping-fptoint
  -DNDEBUG -DZSTD_DISABLE_ASM=1 -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -w"

for source in zstd/compress/*.c; do
  case $source in
    *zstdmt*) continue ;;
    # of high levels, which take long in any case: small
    *lazy* | *opt* | *ldm* | *superblock*) speed=-Oz ;;
    # of the usual levels
    *fast.c) speed=-O3 ;;
    *) speed=-O2 ;;
  esac
  # shellcheck disable=SC2086
  clang $flags $speed -Izstd -c "$source" -o "encoder-$(basename "$source" .c).o"
done
for source in zstd/common/*.c zstd/decompress/*.c; do
  case $source in
    *debug.c | *pool.c | *threading.c) continue ;;
  esac
  # shellcheck disable=SC2086
  clang $flags -O3 -DHUF_DISABLE_FAST_DECODE -Izstd -c "$source" -o "decoder-$(basename "$source" .c).o"
done

exports=""
for name in malloc free ZSTD_isError ZSTD_compressBound ZSTD_createCCtx ZSTD_compress_usingDict \
  ZSTD_createDCtx ZSTD_decompress_usingDict; do
  exports="$exports -Wl,--export=$name"
done
# a stack that overflows ends in a trap, not in other memory; 2 GiB at most
# shellcheck disable=SC2086
clang --target=wasm32-wasi -L/usr/lib/wasm32-wasi ./*.o -nostartfiles -Wl,--no-entry $exports -Wl,--strip-all \
  -Wl,--gc-sections -Wl,--stack-first -Wl,-z,stack-size=262144 -Wl,--max-memory=2147483648 -o zstd.wasm
cp zstd.wasm "$home/packages/simtape/src/codec/zstd.wasm"
sha256sum zstd.wasm
