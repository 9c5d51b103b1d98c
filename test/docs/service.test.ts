import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const guide = readFileSync(join(root, 'docs/operations.md'), 'utf8')

test('the unit for systemd limits the server as the container is limited', () => {
  const unit = /```ini\n(\[Unit\].*?)```/s.exec(guide)![1]!.split('\n')
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8')
  const container = /^ {2}hearth:\n(.*?)^ {2}\w+:$/ms.exec(compose)![1]!
  const memory = /mem_limit: \$\{HEARTH_MEMORY:-(\d+)g\}/.exec(container)![1]
  const processes = /pids_limit: (\d+)/.exec(container)![1]
  for (const [ofContainer, ofUnit] of [
    ['cap_drop: [ALL]', 'CapabilityBoundingSet='],
    ['no-new-privileges:true', 'NoNewPrivileges=yes'],
    ['read_only: true', 'ProtectSystem=strict'],
    ['tmpfs: ["/tmp"', 'PrivateTmp=yes'],
    ['mem_limit:', `MemoryMax=${memory}G`],
    ['pids_limit:', `TasksMax=${processes}`],
  ] as const) {
    expect(container).toContain(ofContainer)
    expect(unit).toContain(ofUnit)
  }
})

test('the service has a user without a home, and settings with a folder for data that it may write', () => {
  const section = /^## As a service\n(.*?)^## /ms.exec(guide)![1]!
  expect(section).toContain('--no-create-home')
  expect(section).toContain("DATA_DIR='/var/lib/hearth'")
  expect(section).toContain('StateDirectory=hearth\n')
})

test('point-in-time recovery creates its stanza before the first backup', () => {
  const section = /^### Point-in-time recovery\n(.*?)^## /ms.exec(guide)![1]!
  const at = ['pg1-path=', 'archive_mode = on', 'stanza-create', '--type=full backup', '--type=time'].map(
    (text) => section.indexOf(text),
  )
  expect(at.every((place) => place > -1)).toBe(true)
  expect(at).toEqual(at.toSorted((one, other) => one - other))
})
