import { parentPort, workerData } from 'node:worker_threads'

/*
 * Decodes one HEIC, in a thread that ends with it. The library, which is in WebAssembly, reads what strangers have sent:
 * it reaches nothing but its own memory, and that is limited.
 */

export type Job = { bytes: Uint8Array; maxPixels: number; maxMemoryBytes: number }

/** The pixels of the primary picture, upright, with four bytes each. */
export type Decoded = { data: Uint8ClampedArray<ArrayBuffer>; width: number; height: number }

const pageBytes = 65_536

/** The part of WebAssembly that is used here; the types of Node have no more than its namespace. */
type Memory = { readonly buffer: ArrayBuffer; grow(pages: number): number }
const { Memory } = (globalThis as unknown as { WebAssembly: { Memory: { prototype: Memory } } }).WebAssembly

/** Growing past the limit fails; the library takes this for the lack of memory. */
function limitMemory(maxBytes: number): void {
  const { grow } = Memory.prototype
  Memory.prototype.grow = function (this: Memory, pages: number) {
    if (this.buffer.byteLength + pages * pageBytes > maxBytes) throw new RangeError('out of memory')
    return grow.call(this, pages)
  }
}

async function decode({ bytes, maxPixels, maxMemoryBytes }: Job): Promise<Decoded> {
  limitMemory(maxMemoryBytes)
  const { default: libheif } = await import('libheif-js/wasm-bundle.js')
  await libheif.ready
  const pictures = new libheif.HeifDecoder().decode(bytes)
  const picture = pictures.find((each) => each.is_primary()) ?? pictures[0]
  if (!picture) throw new Error('no picture')
  const [width, height] = [picture.get_width(), picture.get_height()]
  if (width * height > maxPixels) throw new Error('too many pixels')
  const data = new Uint8ClampedArray(width * height * 4)
  await new Promise<void>((resolve, reject) => {
    picture.display({ data, width, height }, (pixels) => {
      if (pixels) resolve()
      else reject(new Error('not readable'))
    })
  })
  return { data, width, height }
}

const decoded = await decode(workerData as Job)
parentPort!.postMessage(decoded, [decoded.data.buffer])
