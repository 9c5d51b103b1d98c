/** Whether an `If-None-Match` header names this ETag, weak or strong, or `*`. */
export function namesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const wanted = withoutWeakness(etag)
  return header.split(',').some((each) => ['*', wanted].includes(withoutWeakness(each.trim())))
}

function withoutWeakness(etag: string): string {
  return etag.replace(/^W\//, '')
}
