/** A mode that the user gives his file in the middle of a lease is his own: it is there in the end. */
import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { nodeDisk, SettingsDisk } from "../../../src/system/settings/disk.ts"
import { leaseSettings } from "../../../src/system/settings/lease.ts"
import { makeDirectory } from "../../kit/temporary.ts"

it.live("a change of mode between our reading and our writing is not lost", () =>
  Effect.gen(function* () {
    const directory = yield* makeDirectory
    const file = join(directory, ".gemini", "settings.json")
    mkdirSync(join(directory, ".gemini"))
    writeFileSync(file, "{}")
    chmodSync(file, 0o644)
    let isReplaced = false
    let isChanged = false
    const create: typeof nodeDisk.create = (...args) => {
      if (args[0].includes(".reins-") && isReplaced && !isChanged) {
        isChanged = true
        chmodSync(file, 0o664)
      }
      return nodeDisk.create(...args)
    }
    const patch = { mcpServers: { mine: { command: "x" } } }
    yield* Effect.gen(function* () {
      yield* leaseSettings({ directory, path: [".gemini", "settings.json"], patch, secret: false })
      // With what was lent to him: giving back has to write.
      writeFileSync(`${file}.new`, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), theme: "dark" }))
      renameSync(`${file}.new`, file)
      isReplaced = true
    }).pipe(
      Effect.scoped,
      Effect.provideService(SettingsDisk, { ...nodeDisk, create }),
      Effect.provideService(HostEnvironment, { XDG_STATE_HOME: join(directory, "state") })
    )
    assert.isTrue(isChanged)
    assert.strictEqual(statSync(file).mode & 0o777, 0o664)
  }).pipe(Effect.scoped)
)
