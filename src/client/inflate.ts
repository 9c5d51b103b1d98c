/** Whether frames can be decompressed here. */
export function canInflate(): boolean {
  return 'DecompressionStream' in globalThis
}

/** The text of a frame of zlib mode (docs/gateway.md#connecting), and its length in bytes. */
export async function inflate(frame: ArrayBuffer): Promise<{ text: string; bytes: number }> {
  const stream = new DecompressionStream('deflate')
  const writer = stream.writable.getWriter()
  // The reader sees the error.
  writer.write(new Uint8Array(frame)).catch(() => {})
  writer.close().catch(() => {})
  const inflated = await new Response(
    stream.readable as ReadableStream<Uint8Array<ArrayBuffer>>,
  ).arrayBuffer()
  return { text: new TextDecoder().decode(inflated), bytes: inflated.byteLength }
}
