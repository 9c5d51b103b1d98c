import { clock } from './clock.ts'
import { cluster } from './cluster.ts'
import { crowd } from './crowd.ts'
import { database } from './database.ts'
import { flood } from './flood.ts'
import { frames } from './frames.ts'
import { kills } from './kills.ts'
import { nodes } from './nodes.ts'
import type { Part } from './part.ts'
import { pictures } from './pictures.ts'
import { requests } from './requests.ts'
import { soak } from './soak.ts'
import { standby } from './standby.ts'
import { upgrades } from './upgrades.ts'
import { weight } from './weight.ts'

/** Every part, in the order in which they run; one line each. */
export const parts: Part[] = [
  clock,
  cluster,
  crowd,
  database,
  flood,
  frames,
  kills,
  nodes,
  pictures,
  requests,
  soak,
  standby,
  upgrades,
  weight,
]
