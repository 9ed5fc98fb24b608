/** Problems of the package, for people, by the words of `npm pack --json` and the licences of what it carries; pure. */
import { Schema } from "effect"

const Packed = Schema.Struct({
  filename: Schema.String,
  size: Schema.Finite,
  unpackedSize: Schema.Finite,
  files: Schema.Array(Schema.Struct({ path: Schema.String }))
})
export type Packed = typeof Packed.Type

/** One package: npm 11 gives a list of one, npm 12 a record. */
export const decodePacked = (json: unknown): Packed => {
  const [first] = typeof json === "object" && json !== null ? Object.values(json) : []
  return Schema.decodeUnknownSync(Packed)(first)
}

/** In bytes. More than these is a mistake, or a decision that changes this line. */
const most = { size: 3_500_000, unpackedSize: 14_000_000 }

const expected: ReadonlyArray<RegExp> = [
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md)$/,
  /^dist\/(?:.+\/)?[\w.-]+\.(?:d\.ts|js|json|css|html|svg)$/,
  /^dist\/LICENSES\.txt$/,
  /^docs\/[\w-]+\.md$/,
  /^examples\//,
  /^fixtures\/programs\//
]

const required = ["LICENSE", "README.md", "CHANGELOG.md", "dist/LICENSES.txt", "dist/program.js"]

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

/** `targets`: the files that `exports` and `bin` name. */
export const problemsOfFiles = (packed: Packed, targets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const paths = packed.files.map(({ path }) => path)
  const odd = paths.filter((path) => !expected.some((pattern) => pattern.test(path)))
  const missing = [...required, ...targets].filter((path) => !paths.includes(path))
  const large = (["size", "unpackedSize"] as const).filter((key) => packed[key] > most[key])
  return [
    ...odd.map((path) => `${path} does not belong into the package`),
    ...missing.map((path) => `${path} is missing in the package`),
    ...large.map((key) => `${key}: ${megabytes(packed[key])}, at most ${megabytes(most[key])}`)
  ]
}

/** Licences that ask for no more than their text. */
const free: ReadonlySet<string> = new Set(["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD"])

/** `licences`: dist/LICENSES.txt, where each package has a line such as "marked 18.2.1 (MIT)". */
export const problemsOfLicences = (licences: string): ReadonlyArray<string> => {
  const lines = [...licences.matchAll(/^((?:@[\w.-]+\/)?[\w.-]+ \d\S*) \((.+)\)$/gm)]
  const others = lines.filter(([, , licence = ""]) => !free.has(licence))
  return lines.length === 0
    ? ["dist/LICENSES.txt names no package"]
    : others.map(([, name, licence]) => `${name} has the licence ${licence}: it may not be carried without a decision`)
}

type Target = string | { readonly [condition: string]: Target }

/** The files of `exports` and `bin`. */
export const targetsOf = (manifest: {
  readonly exports: Target
  readonly bin: Readonly<Record<string, string>>
}): ReadonlyArray<string> => {
  const filesOf = (target: Target): ReadonlyArray<string> =>
    typeof target === "string" ? [target] : Object.values(target).flatMap(filesOf)
  return [...filesOf(manifest.exports), ...Object.values(manifest.bin)].map((path) => path.replace(/^\.\//, ""))
}
