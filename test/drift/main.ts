// `npm run drift [cli[@version]…]`: installs CLIs in other versions than the tested ones, runs their real tests, and
// compares what they print with the vocabulary that is on record. Exit code 0: all the same; 1: words differ, the tests
// pass; 2: tests fail.
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { cliIn, install } from "../real/rig/install.ts"
import { findNamespace } from "../real/rig/namespace.ts"
import { runRealTests } from "./realTests.ts"
import { publishedOf } from "./registry.ts"
import { newestOf, parseRequest, type Wanted } from "./targets.ts"

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")
const logs = join(root, ".cache/drift/logs")

const say = (line: string) => process.stdout.write(`${line}\n`)

const resolve = ({ id, version }: Wanted) => {
  const found = version ?? newestOf(publishedOf(cliIn(id, "").package), Date.now())
  if (found === undefined) throw new Error(`the registry has no release of ${id} that is older than a day`)
  return cliIn(id, found)
}

const main = async () => {
  const request = parseRequest(process.argv.slice(2))
  const namespace = findNamespace([process.execPath, join(root, "test/real/run.mjs"), "probe"])
  if (namespace.type === "impossible") {
    throw new Error(`no network namespace with loopback only can be made here:\n${namespace.reasons.join("\n")}`)
  }
  mkdirSync(logs, { recursive: true })
  let exitCode = 0
  for (const wanted of request.wanted) {
    const cli = resolve(wanted)
    await install(cli)
    const log = join(logs, `${cli.name}-${cli.version}.log`)
    writeFileSync(log, "")
    say(`${cli.name} ${cli.version} (log: ${log})`)
    const place = { root, flags: namespace.flags, log: (text: string) => appendFileSync(log, text) }
    const { passed, failed, flaky } = await runRealTests(cli, place)
    say(`  tests: ${passed} passed, ${failed.length} failed${flaky.length > 0 ? `, ${flaky.length} only alone` : ""}`)
    for (const { file, name, why } of failed) say(`    ${file} › ${name}: ${why}`)
    if (failed.length > 0) exitCode = 2
  }
  process.exitCode = exitCode
}

await main().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 2
})
