/**
 * Takes tokens from the buckets KEYS in this order, up to the first that lacks them. ARGV has for each the burst, the ms
 * of a token, and how many to take: with 0 it only reads, less than 0 are given back.
 *
 * A bucket is stored as the time (µs) and the ms that it then lacked until it is full, and expires when it is. An elapsed
 * time cannot be negative, so that a clock that steps back, or that of another server after a failover, refuses nobody
 * for longer than the bucket takes to fill.
 *
 * Returns two values for each bucket: 1 and the ms until it is full, or 0 and the ms until the tokens are there.
 */
export const bucketScript = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local answer = {}
for i, key in ipairs(KEYS) do
  local burst, token, count = tonumber(ARGV[3 * i - 2]), tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local at, stored = string.match(redis.call('GET', key) or '', '^(%d+) (%S+)$')
  local missing = 0
  if at then
    missing = math.max(0, stored - math.max(0, now - at) / 1000)
    missing = math.min(missing, burst * token)
  end
  local after = missing + token * count
  local allowed = count <= 0 or math.ceil(after / token - 1e-6) <= burst
  if allowed then
    missing = math.max(0, after)
  end
  if missing > 0 then
    local stored = string.format('%.0f %.17g', now, missing)
    redis.call('SET', key, stored, 'PX', string.format('%.0f', math.ceil(missing)))
  elseif at then
    redis.call('DEL', key)
  end
  answer[2 * i - 1] = allowed and 1 or 0
  answer[2 * i] = string.format('%.17g', allowed and missing or after - burst * token)
  if not allowed then
    break
  end
end
return answer
`
