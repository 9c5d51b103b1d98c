import { fileURLToPath } from 'node:url'
import { openFolderStore, type Store } from './store.ts'

/** The store at a `file:` or `s3:` address. What speaks S3 is loaded only where it is wanted. */
export async function openStore(address: string): Promise<Store> {
  if (address.startsWith('file:')) return openFolderStore(fileURLToPath(address))
  const { openS3Store } = await import('./s3.ts')
  return openS3Store(address)
}
