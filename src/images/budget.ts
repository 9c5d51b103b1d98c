/** The time for the pictures of a person (docs/api.md#rate-limits), in units of `unitMs`. */
export type PictureBudget = {
  /** The id of the person: the owner of a bot, else the user. */
  ownerId: string
  /** The longest that one picture may take. */
  maxWorkMs: number
  /** Takes so many units. Throws `rate_limit` if fewer are left. */
  take(units: number): Promise<void>
  giveBack(units: number): Promise<void>
  /** Throws where the caller may call no more, after the time that the work has taken. */
  requireCaller(): Promise<void>
}

const maxWorkMs = 20_000
const unitMs = 100

/** A rate limit in units of the time that is spent on pictures. */
type TimeLimit = {
  count(key: string, options: { count: number }): Promise<void>
  giveBack(key: string, count: number): Promise<void>
}

export function budgetOf(
  ownerId: string,
  limit: TimeLimit,
  requireCaller: () => Promise<void>,
): PictureBudget {
  return {
    ownerId,
    requireCaller,
    maxWorkMs,
    take: (count) => limit.count(ownerId, { count }),
    giveBack: (count) => limit.giveBack(ownerId, count),
  }
}

/** For pictures that operators bring. */
export function withoutBudget(ownerId: string): PictureBudget {
  const nothing = async () => {}
  return { ownerId, maxWorkMs, take: nothing, giveBack: nothing, requireCaller: nothing }
}

/** Works on a picture: takes the units of the longest work, and gives back those that are not used. */
export async function withinBudget<Result>(
  { maxWorkMs, take, giveBack }: PictureBudget,
  work: () => Promise<Result>,
): Promise<Result> {
  const most = maxWorkMs / unitMs
  await take(most)
  const started = performance.now()
  try {
    return await work()
  } finally {
    const used = Math.ceil((performance.now() - started) / unitMs)
    if (used < most) await giveBack(most - used)
  }
}
