import type { Plan, WeightAttack } from './attack.ts'
import { judgeSends } from './attack.ts'
import type { Order } from './attacker.ts'

/** One address for each account. */
const addresses = Array.from({ length: 10 }, (_none, n) => `127.0.3.${n + 1}`)

/** Carries out several attacks at once, from ten accounts and ten addresses. Each is only judged by what others see. */
export function together(attacks: readonly WeightAttack[]): WeightAttack {
  return {
    name: 'all at once, from ten accounts and ten addresses',
    async prepare(scene) {
      const plans: Plan[] = []
      for (const attack of attacks) plans.push(await attack.prepare(scene))
      return {
        orders: plans.flatMap(({ orders }) => orders.map(fromOneOfTen)),
        environment: Object.assign({}, ...plans.map(({ environment }) => environment)),
        judge: judgeSends,
        close: async () => {
          for (const plan of plans) await plan.close?.()
        },
      }
    },
  }
}

function fromOneOfTen(order: Order, index: number): Order {
  return order.kind === 'session' ? order : { ...order, from: addresses[index % addresses.length]! }
}
