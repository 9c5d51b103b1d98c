import { access, constants } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { makeFolder } from '../database/embedded/folders.ts'
import { openFolderStore, type Store } from './store.ts'

/**
 * The store at a `file:` or `s3:` URL; `reserve` as in `openFolderStore`. The S3 client is loaded only if it is needed.
 */
export async function openStore(address: string, reserve?: number): Promise<Store> {
  if (address.startsWith('file:')) return openFolderStore(fileURLToPath(address), reserve)
  const { openS3Store } = await import('./s3.ts')
  return openS3Store(address)
}

/**
 * Creates the folder of a store at a `file:` URL. Throws where files cannot be stored in it, so that the server reports
 * this at its start and not at the first upload.
 */
export async function makeStoreFolder(address: string): Promise<void> {
  if (!address.startsWith('file:')) return
  const folder = fileURLToPath(address)
  await makeFolder(folder)
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK)
}
