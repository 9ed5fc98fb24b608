// One vocabulary of two of the same version, recorded at different times: what is not in both is there only at times. So
// each `--accept` of a version teaches more of its races. Pure.
import { type Kind, type Vocabulary, type Words, wordsIn } from "./vocabulary.ts"

const mergeWords = (a: Words, b: Words): Words => {
  const { always, sometimes } = wordsIn([new Set(a.always), new Set(b.always)])
  const rest = wordsIn([new Set([...sometimes, ...a.sometimes, ...b.sometimes])]).always
  return { always, sometimes: rest.filter((word) => !always.includes(word)) }
}

const mergeKinds = (a: Kind | undefined, b: Kind | undefined): Kind | undefined => {
  if (a === undefined || b === undefined) {
    const only = a ?? b
    return only && { ...only, isRare: true }
  }
  return {
    ...(a.isRare === true || b.isRare === true ? { isRare: true as const } : {}),
    ...(a.isUnknown === true || b.isUnknown === true ? { isUnknown: true as const } : {}),
    ...mergeWords(a, b),
    // Which places are read is a fact of the code as it is now.
    read: b.read
  }
}

const mergeBy = <A>(
  a: Readonly<Record<string, A>>,
  b: Readonly<Record<string, A>>,
  merge: (a: A | undefined, b: A | undefined) => A | undefined
): Readonly<Record<string, A>> =>
  Object.fromEntries(
    [...new Set([...Object.keys(a), ...Object.keys(b)])].sort().flatMap((key): ReadonlyArray<[string, A]> => {
      const merged = merge(a[key], b[key])
      return merged === undefined ? [] : [[key, merged]]
    })
  )

/** `now` has the scenarios and the commands that there are today. */
export const merge = (before: Vocabulary | undefined, now: Vocabulary): Vocabulary => {
  if (before === undefined || before.version !== now.version) return now
  return {
    ...now,
    order: mergeBy(before.order, now.order, (a, b) => (a === undefined ? b : b && mergeWords(a, b))),
    wires: mergeBy(before.wires, now.wires, (a, b) => b && mergeBy(a ?? {}, b, mergeKinds))
  }
}
