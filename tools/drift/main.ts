// `npm run drift [cli[@version]…] [--accept] [--oldest] [--vocabulary-only]`: runs CLIs in other versions than the tested
// ones, by their real tests and against the vocabulary on record. Exit code 0: all is as it was; 1: words differ, the
// tests pass; 2: tests fail.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { CliId } from "../../src/cli/clis.ts"
import { cliIn } from "../../test/real/rig/install.ts"
import { findNamespace } from "../../test/real/rig/namespace.ts"
import { accept } from "./accept.ts"
import { examine, examineTests } from "./examine.ts"
import { walkBack } from "./oldest.ts"
import type { Place } from "./realTests.ts"
import { publishedOf } from "./registry.ts"
import { exitCodeOf, type Outcome, reportOf } from "./report.ts"
import { newestOf, parseRequest, type Request, releasesOf, type Wanted } from "./targets.ts"
import { readVocabulary } from "./vocabularyFile.ts"

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")
const logs = join(root, ".cache/drift/logs")

const say = (line: string) => process.stdout.write(`${line}\n`)

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

const publishedFor = (id: CliId) => publishedOf(cliIn(id, "").package)

const versionFor = ({ id, version }: Wanted): string => {
  const found = version ?? newestOf(publishedFor(id), Date.now())
  if (found === undefined) throw new Error(`the registry has no release of ${id} that is older than a day`)
  return found
}

/** Output of the CLI and the tests goes into a file. */
const placeOf = (flags: ReadonlyArray<string>, id: CliId, version: string): Place => {
  const log = join(logs, `${id}-${version}.log`)
  writeFileSync(log, "")
  return { root, flags, log: (text) => appendFileSync(log, text) }
}

const examineOne = async (requested: Wanted, request: Request, flags: ReadonlyArray<string>): Promise<Outcome> => {
  const { id } = requested
  const version = versionFor(requested)
  const place = placeOf(flags, id, version)
  const before = request.accept ? undefined : readVocabulary(root, id)
  const { outcome, now } = await examine(id, version, before, request, place)
  for (const line of reportOf(outcome)) say(line)
  if (request.accept && exitCodeOf([outcome]) < 2) for (const line of accept(root, id, now)) say(`  ${line}`)
  return outcome
}

/** By the tests alone: words of an older version may be fewer. */
const findOldest = async (requested: Wanted, _request: Request, flags: ReadonlyArray<string>): Promise<Outcome> => {
  const { id } = requested
  const start = versionFor(requested)
  const releases = releasesOf(publishedFor(id))
  const older = releases.slice(releases.indexOf(start))
  const oldest = await walkBack(older, async (version) => {
    const tests = await examineTests(id, version, placeOf(flags, id, version))
    const outcome: Outcome = { cli: id, version, tests, differences: [], problems: [] }
    for (const line of reportOf(outcome)) say(line)
    return outcome
  })
  say(oldest === undefined ? `${id}: ${start} does not pass` : `${id}: the oldest that passes is ${oldest.version}`)
  return oldest ?? { cli: id, version: start, differences: [], problems: ["does not pass"] }
}

const main = async () => {
  const request = parseRequest(process.argv.slice(2))
  const namespace = findNamespace([process.execPath, join(root, "test/real/run.mjs"), "probe"])
  if (namespace.type === "impossible") {
    throw new Error(`no network namespace with loopback only can be made here:\n${namespace.reasons.join("\n")}`)
  }
  mkdirSync(logs, { recursive: true })
  const outcomes: Array<Outcome> = []
  let isComplete = true
  for (const requested of request.wanted) {
    const work = request.oldest ? findOldest : examineOne
    try {
      outcomes.push(await work(requested, request, namespace.flags))
    } catch (error) {
      // The others can be examined still.
      say(`${requested.id}: ${messageOf(error)}`)
      isComplete = false
    }
  }
  process.exitCode = isComplete ? exitCodeOf(outcomes) : 2
}

await main().catch((error) => {
  process.stderr.write(`${messageOf(error)}\n`)
  process.exitCode = 2
})
