/** A snapshot has the files as they are, also those that git could take for unchanged. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { takeSnapshot } from "../../../src/system/worktrees/changes.ts"
import { gitIn, makeRepository, put } from "../../kit/repository.ts"

const untilNextSecond = () => sleep(1_000 - (Date.now() % 1_000) + 1)
const here = Layer.merge(NodeServices.layer, Layer.succeed(HostEnvironment, process.env))

it.live("has a text of the same length, written in the second in which the old one was checked out", () =>
  Effect.gen(function* () {
    const repository = yield* makeRepository
    const place = { workingDirectory: repository, gitDirectory: join(repository, ".git") }
    yield* Effect.promise(untilNextSecond)
    rmSync(join(repository, "a.txt"))
    gitIn(repository, "checkout-index", "--all", "--index")
    put(repository, { "a.txt": "two\n" })
    // Its index is written again, now in a younger second than the file.
    yield* Effect.promise(untilNextSecond)
    const { commit } = yield* takeSnapshot(place, undefined)
    assert.strictEqual(gitIn(repository, "show", `${commit}:a.txt`), "two\n")
  }).pipe(Effect.scoped, Effect.provide(here))
)
