import { setTimeout as pause } from 'node:timers/promises'
import type { Arrangement } from '../../cluster/arrangement.ts'
import { Late } from '../nodes/insist.ts'
import { addPerson, ask } from '../support/people.ts'

const withinMs = 30_000
const retryMs = 100

/** Somebody's attachments, in a house that nobody else is in. */
export type Files = {
  readonly accepted: readonly unknown[]
  /** Sends an attachment once. Gives the status of the answer, or undefined when there was none. */
  upload(): Promise<number | undefined>
  /** Sends an attachment until it is accepted. */
  insist(): Promise<void>
  /** What is wrong with the attachments that were accepted. */
  compare(): Promise<string[]>
}

export async function openFiles({ db, origin }: Arrangement): Promise<Files> {
  const owner = await addPerson(db)
  const house = await ask(origin, owner.token, 'POST', '/houses', { name: 'Files' })
  const path = `/rooms/${house.rooms[0].id}/media_messages`
  const accepted: { url: string; text: string }[] = []
  let number = 0

  async function upload(): Promise<number | undefined> {
    number += 1
    const text = `attachment ${number}`
    const body = new FormData()
    body.set('nonce', `file ${number}`)
    body.set('file', new Blob([text], { type: 'text/plain' }), 'note.txt')
    const headers = { authorization: owner.token, connection: 'close' }
    const answer = await fetch(`${origin}${path}`, { method: 'POST', headers, body }).catch(() => undefined)
    if (answer?.status !== 200) return answer?.status
    const { data } = (await answer.json()) as { data: { attachment: { media_url: string } } }
    const { pathname, search } = new URL(data.attachment.media_url)
    accepted.push({ url: `${origin}${pathname}${search}`, text })
    return answer.status
  }

  return {
    accepted,
    upload,
    async insist() {
      const deadline = performance.now() + withinMs
      for (;;) {
        const status = await upload()
        if (status === 200) return
        if (![undefined, 503].includes(status) || performance.now() > deadline)
          throw new Late(`an attachment was answered ${status}`)
        await pause(retryMs)
      }
    },
    async compare() {
      const findings = await Promise.all(
        accepted.map(async ({ url, text }) => {
          const answer = await fetch(url, { headers: { connection: 'close' } })
          const received = await answer.text()
          return answer.status === 200 && received === text
            ? []
            : [`an attachment was answered ${answer.status}`]
        }),
      )
      return findings.flat()
    },
  }
}
