/** Draws that hang on a seed and the number of a step alone: the same two give the same draws, whatever came before. */
import { Effect, Random } from "effect"

export interface Dice {
  /** A whole number, both ends included. */
  readonly between: (least: number, most: number) => number
  /** The same with as many draws below the geometric middle as above it: mostly small, now and then large. */
  readonly spread: (least: number, most: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <const A>(items: readonly [A, ...ReadonlyArray<A>]) => A
  /** One of several, the one with twice the weight twice as often. */
  readonly among: <A>(first: Choice<A>, ...others: ReadonlyArray<Choice<A>>) => A
}

export type Choice<A> = readonly [weight: number, draw: () => A]

export const makeDice = (seed: number, step: number): Dice => {
  const random = Effect.runSync(Random.Random.pipe(Random.withSeed(`${seed} ${step}`)))
  const next = () => random.nextDoubleUnsafe()
  const between = (least: number, most: number) => Math.min(most, least + Math.floor(next() * (most - least + 1)))
  return {
    between,
    spread: (least, most) => Math.round(least * (most / least) ** next()),
    chance: (probability) => next() < probability,
    pick: (items) => items[between(0, items.length - 1)] ?? items[0],
    among: (first, ...others) => {
      let at = next() * others.reduce((sum, [weight]) => sum + weight, first[0])
      for (const [weight, draw] of [first, ...others]) {
        if (at < weight) return draw()
        at -= weight
      }
      return first[1]()
    }
  }
}
