import { startS3Double } from '../../test/support/s3-double.ts'

/** A store that speaks S3, and keeps its files while it is stopped. */
export type FileStore = {
  environment: Record<string, string>
  stopWhile(meanwhile: () => Promise<unknown>): Promise<void>
  close(): Promise<unknown>
}

export async function startFileStore(): Promise<FileStore> {
  let store = await startS3Double()
  const { endpoint, objects } = store
  return {
    environment: {
      STORAGE_URL: `s3://hearth?endpoint=${endpoint}`,
      AWS_ACCESS_KEY_ID: 'cluster',
      AWS_SECRET_ACCESS_KEY: 'cluster',
    },
    async stopWhile(meanwhile) {
      await store.stop()
      try {
        await meanwhile()
      } finally {
        store = await startS3Double(Number(new URL(endpoint).port), objects)
      }
    },
    close: () => store.stop(),
  }
}
