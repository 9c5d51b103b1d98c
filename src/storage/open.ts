import { fileURLToPath } from 'node:url'
import { openFolderStore, type Store } from './store.ts'

/** The store at a `file:` or `s3:` URL. The S3 client is loaded only if it is needed. */
export async function openStore(address: string): Promise<Store> {
  if (address.startsWith('file:')) return openFolderStore(fileURLToPath(address))
  const { openS3Store } = await import('./s3.ts')
  return openS3Store(address)
}
