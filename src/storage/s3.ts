import { Readable } from 'node:stream'
import * as s3 from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { StoreUnavailable } from '../errors.ts'
import type { Store } from './store.ts'

/** The size of the parts of an upload; S3 requires at least 5 MiB, except for the last part. */
const partBytes = 8 * 1024 * 1024

/** A slow download occupies a connection: with the library's default of 50, a few clients could block all others. */
const agent = { maxSockets: 1_000 }
const connectionTimeout = 2_000
/** Only the start of an answer has a timeout: its body is read at the speed of the client. */
const reading = {
  connectionTimeout,
  requestTimeout: 2_000,
  throwOnRequestTimeout: true,
  httpAgent: agent,
  httpsAgent: agent,
}
/** An upload has no timeout as a whole, only one for an idle socket. */
const writing = { connectionTimeout, socketTimeout: 3_000, httpAgent: agent, httpsAgent: agent }
const maxAttempts = 2

/**
 * A store in a bucket of S3, or of a server that speaks its protocol, at `s3://bucket/prefix?region=…&endpoint=…`.
 * Credentials come from the usual AWS environment. An upload of unknown length is never whole in memory. Throws
 * `StoreUnavailable` where it fails, or does not answer.
 */
export function openS3Store(address: string): Store {
  const { hostname: Bucket, pathname, searchParams } = new URL(address)
  const prefix = pathname.replace(/^\/+|\/+$/g, '')
  const settings = clientSettings(searchParams)
  const reader = new s3.S3Client({ ...settings, requestHandler: reading })
  const writer = new s3.S3Client({ ...settings, requestHandler: writing })
  const at = (name: string) => ({ Bucket, Key: prefix === '' ? name : `${prefix}/${name}` })

  return {
    // A bucket shares no disk with the database.
    checkSpace: async () => {},
    async write(name, content) {
      const params = { ...at(name), Body: content }
      const upload = new Upload({ client: writer, params, partSize: partBytes, queueSize: 1 })
      await upload.done().catch((error: Error) => {
        const isOfContent = content instanceof Readable && content.errored === error
        throw isOfContent ? error : new StoreUnavailable(error)
      })
    },
    async find(name) {
      const head = await answered(reader.send(new s3.HeadObjectCommand(at(name))).catch(undefinedIfMissing))
      if (!head) return undefined
      return {
        size: head.ContentLength ?? 0,
        async open(range) {
          const Range = range && `bytes=${range.start}-${range.end}`
          const { Body } = await answered(reader.send(new s3.GetObjectCommand({ ...at(name), Range })))
          return Body as Readable
        },
      }
    },
    async remove(name) {
      await answered(reader.send(new s3.DeleteObjectCommand(at(name))))
      await answered(abortUploads(reader, at(name)))
    },
    async *list() {
      const { Bucket, Key: start } = at('')
      for (let ContinuationToken: string | undefined; ; ) {
        const page = await answered(
          reader.send(new s3.ListObjectsV2Command({ Bucket, Prefix: start, ContinuationToken })),
        )
        for (const { Key } of page.Contents ?? []) if (Key !== undefined) yield Key.slice(start.length)
        ContinuationToken = page.NextContinuationToken
        if (ContinuationToken === undefined) return
      }
    },
  }
}

function clientSettings(query: URLSearchParams): s3.S3ClientConfig {
  const endpoint = query.get('endpoint') ?? undefined
  return {
    maxAttempts,
    region: query.get('region') ?? process.env.AWS_REGION ?? 'us-east-1',
    // Servers other than Amazon's seldom support a host name for each bucket, or the newer checksums.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  }
}

function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof s3.S3ServiceException && error.$metadata.httpStatusCode === 404) return undefined
  throw error
}

async function answered<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    throw new StoreUnavailable(error as Error)
  }
}

type Place = { Bucket: string; Key: string }

/** Aborts incomplete multipart uploads of a file, which take space. Not every server can list them. */
async function abortUploads(reader: s3.S3Client, { Bucket, Key }: Place): Promise<void> {
  const listed = new s3.ListMultipartUploadsCommand({ Bucket, Prefix: Key })
  const { Uploads = [] } = await reader.send(listed).catch(nothingIfRefused)
  for (const { Key: key, UploadId } of Uploads) {
    if (key === Key) await reader.send(new s3.AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }
}

function nothingIfRefused(error: unknown): { Uploads?: s3.MultipartUpload[] } {
  if (error instanceof s3.S3ServiceException) return {}
  throw error
}
