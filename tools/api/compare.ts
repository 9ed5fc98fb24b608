/** Compares two reports of a door, pure, by declaration; and the entries that a breaking change needs. */

export interface Difference {
  /** `+` or `-` and a line, below the first line of its declaration. */
  readonly lines: ReadonlyArray<string>
  /** A line was removed or changed. */
  readonly isBreaking: boolean
}

/** Heading of a declaration → its lines. Declarations of one heading, such as overloads, stay together. */
const declarationsIn = (report: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const part of report.split(/\n\n+/)) {
    const lines = part.split("\n").filter((line) => line !== "" && !line.startsWith("```"))
    const [first] = lines
    if (
      first === undefined ||
      !/^(?:export |type |interface |const |class |let |function |namespace |abstract )/.test(first)
    ) {
      continue
    }
    const heading = /^[^=:({<]*/.exec(first.replace(/(?: extends .*)? \{$/, ""))?.[0].trim() ?? first
    found.set(heading, [...(found.get(heading) ?? []), ...lines])
  }
  return found
}

/** The lines of both, in order, each with a mark: by their longest common subsequence. */
const linesOf = (before: ReadonlyArray<string>, after: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1))
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const length =
        before[i] === after[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
      lengths[i]?.fill(length, j, j + 1)
    }
  }
  const lines: Array<string> = []
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    if (i < before.length && before[i] === after[j]) {
      i++
      j++
    } else if (i < before.length && (j === after.length || lengthAt(i + 1, j) >= lengthAt(i, j + 1))) {
      lines.push(`- ${before[i++]}`)
    } else lines.push(`+ ${after[j++]}`)
  }
  return lines
}

/** Undefined if both are the same. A missing report has the text "". */
export const compare = (before: string, after: string): Difference | undefined => {
  if (before === after) return undefined
  const [old, now] = [declarationsIn(before), declarationsIn(after)]
  const headings = [...new Set([...old.keys(), ...now.keys()])].sort()
  const lines = headings.flatMap((heading) => {
    const changed = linesOf(old.get(heading) ?? [], now.get(heading) ?? [])
    const isWhole = !old.has(heading) || !now.has(heading)
    return changed.length === 0 || isWhole ? changed : [`  ${heading}`, ...changed]
  })
  return { lines, isBreaking: lines.some((line) => line.startsWith("-")) }
}

/** Whether a note for the next release, a file of `.changeset`, says that something breaks. */
export const hasBreakingNote = (notes: ReadonlyArray<string>): boolean =>
  notes.some((note) => {
    const [, head = "", text = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(note) ?? []
    return /:\s*major$/m.test(head) || (/:\s*minor$/m.test(head) && /^\**Breaking:/.test(text.trimStart()))
  })

const mostLines = 30

export interface Found {
  readonly door: string
  readonly difference: Difference
}

/** For people: each door with its changes and their cure. */
export const messageOf = (found: ReadonlyArray<Found>, hasNote: boolean): string => {
  const doors = found.map(({ door, difference: { lines, isBreaking } }) => {
    const visible = lines.slice(0, mostLines).map((line) => `  ${line}`)
    const more = lines.length - visible.length
    const isSame = lines.length === 0
    const kind = isBreaking
      ? "types were removed or changed, which breaks users"
      : isSame
        ? "the types are the same, but their report has another form"
        : "types were only added"
    return [`${door}: ${kind}.`, ...visible, ...(more > 0 ? [`  … and ${more} more lines`] : [])].join("\n")
  })
  const isBreaking = found.some(({ difference }) => difference.isBreaking)
  const cure = !isBreaking
    ? "Write it to the report with: npm run api -- --accept\n(A new required member of an object that callers pass breaks them, too: write a note for it.)"
    : hasNote
      ? 'The changes have a note that begins with "Breaking:". Write them to the report with: npm run api -- --accept'
      : [
          'Write a note that begins with "Breaking:" (a minor change; from 1.0 on a major one) with: npm run change',
          "Then: npm run api -- --accept",
          "If no program of a user can notice the change, as of a parameter's name: npm run api -- --accept --compatible"
        ].join("\n")
  return [...doors, cure].join("\n\n")
}
