/** The part of libheif-js, which has no types of its own, that `worker.ts` uses. */
declare module 'libheif-js/wasm-bundle.js' {
  type Pixels = { data: Uint8ClampedArray; width: number; height: number }
  type Picture = {
    is_primary(): boolean
    get_width(): number
    get_height(): number
    display(into: Pixels, done: (pixels: Pixels | null) => void): void
  }
  const libheif: {
    ready?: Promise<unknown>
    HeifDecoder: new () => { decode(bytes: Uint8Array): Picture[] }
  }
  export default libheif
}
