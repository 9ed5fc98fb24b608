/**
 * Every call to the system that the settings room makes, under hands that change what stands there between any two of
 * them: it reaches the folder of the settings, the state directory, and nothing else. Linux, where a step cannot be led
 * astray; elsewhere the directories are looked at before and after.
 */
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Schema } from "effect"
import { HostEnvironment } from "../../../src/system/process/HostEnvironment.ts"
import { type Disk, nodeDisk, SettingsDisk } from "../../../src/system/settings/disk.ts"
import { leaseSettings } from "../../../src/system/settings/lease.ts"
import { recoverSettings } from "../../../src/system/settings/recover.ts"
import { makeDirectory } from "../../kit/temporary.ts"
import { listing } from "./listing.ts"

const path = [".gemini", "settings.json"]

const makeUser = Effect.gen(function* () {
  const root = yield* makeDirectory
  const at = (...names: ReadonlyArray<string>) => join(root, ...names)
  for (const name of ["clone/.gemini", "outside/.gemini", "state"]) mkdirSync(at(name), { recursive: true })
  for (const name of ["clone", "outside"]) writeFileSync(at(name, ".gemini/settings.json"), '{ "theme": "dark" }\n')
  writeFileSync(at("outside/precious"), "precious\n")
  return { root, at, folder: at("clone/.gemini"), file: at("clone/.gemini/settings.json") }
})
type User = Effect.Success<typeof makeUser>

const replaced = (path: string, make: (path: string) => void) => {
  if (!existsSync(dirname(path))) return
  rmSync(path, { recursive: true, force: true })
  make(path)
}

/** Changes by a user who may write into the clone. */
const hands: Readonly<Record<string, (user: User) => void>> = {
  "the folder becomes a link": ({ at, folder }) => replaced(folder, () => symlinkSync(at("outside/.gemini"), folder)),
  "the folder is moved away, and a link takes its place": ({ at, folder }) => {
    if (existsSync(at("clone/moved")) || !existsSync(folder)) return
    renameSync(folder, at("clone/moved"))
    symlinkSync("../outside", folder)
  },
  "the folder goes": ({ folder }) => rmSync(folder, { recursive: true, force: true }),
  "the folder is an empty one": ({ folder }) => replaced(folder, () => mkdirSync(folder)),
  "the file becomes a link": ({ at, file }) => replaced(file, () => symlinkSync(at("outside/precious"), file)),
  "the file becomes a link up": ({ file }) => replaced(file, () => symlinkSync("../../outside/precious", file)),
  "the file becomes a second name": ({ at, file }) => replaced(file, () => linkSync(at("outside/precious"), file)),
  "the file is a directory": ({ file }) => replaced(file, () => mkdirSync(file)),
  "the file is edited": ({ file }) => replaced(file, () => writeFileSync(file, '{ "theme": "light" }')),
  "another case of the name": ({ at, folder }) => {
    if (existsSync(folder))
      replaced(join(folder, "SETTINGS.JSON"), (other) => symlinkSync(at("outside/precious"), other))
  }
}

/** Not through a link that another hand has put there: what it then changed outside would be its own doing. */
const doAs = (hand: string) => (user: User) => {
  const folder = lstatSync(user.folder, { throwIfNoEntry: false })
  if (folder === undefined || folder.isDirectory() || !hand.startsWith("the file")) hands[hand]?.(user)
}

/** Where a path leads at the moment of the call, its last name not followed. */
const whereIs = (path: string) => {
  const fd = /^\/proc\/self\/fd\/\d+/.exec(path)?.[0]
  return fd === undefined ? path : join(readlinkSync(fd), basename(path))
}

type Act = (user: User) => void

/** Before the call of that number, and notes what each call that changes something touches. */
const disturbed = (user: User, number: number, act: Act) => {
  const touched: Array<string> = []
  let calls = 0
  const changing: ReadonlySet<string> = new Set(["create", "link", "rename", "remove", "makeDirectory", "removeEmpty"])
  const disk: Disk = new Proxy(nodeDisk, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== "function") return method
      return (...args: ReadonlyArray<unknown>) =>
        Effect.suspend(() => {
          calls += 1
          if (calls === number) act(user)
          if (changing.has(String(name))) {
            const paths = args.filter((arg): arg is string => typeof arg === "string")
            touched.push(...paths.map(whereIs))
          }
          return Reflect.apply(method, target, args) as Effect.Effect<unknown>
        })
    }
  })
  return { disk, touched, calls: () => calls }
}

const visit = (user: User, disk: Disk) =>
  Effect.gen(function* () {
    const options = {
      directory: user.at("clone"),
      path,
      patch: { mcpServers: { mine: { command: "x" } } },
      secret: true
    }
    yield* Effect.exit(Effect.scoped(leaseSettings(options)))
    yield* Effect.exit(recoverSettings(user.at("clone"), path))
  }).pipe(
    Effect.provideService(SettingsDisk, disk),
    Effect.provideService(HostEnvironment, { XDG_STATE_HOME: user.at("state") })
  )

const assertInside = ({ at }: User, touched: ReadonlyArray<string>) => {
  for (const path of touched) {
    const isOwn = path.startsWith(at("state/"))
    // A directory that was moved away is still the one that was opened.
    const isFolder = [at("clone"), at("clone/.gemini"), at("clone/moved")].includes(
      dirname(path.replace(" (deleted)", ""))
    )
    const name = basename(path)
    const isKnown = name === ".gemini" || name === "settings.json" || /^\.reins-[0-9a-f-]{36}$/.test(name)
    assert.isTrue(isOwn || ((isFolder || path.includes(" (deleted)")) && isKnown), path)
  }
}

describe.skipIf(process.platform !== "linux")("every file operation", () => {
  it.live.each(Object.keys(hands))("stays inside although, between any two of them, %s", (hand) =>
    Effect.gen(function* () {
      let most = 1
      for (let number = 1; number <= most; number += 1) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const user = yield* makeUser
            const outside = listing(user.at("outside"))
            const { disk, touched, calls } = disturbed(user, number, doAs(hand))
            yield* visit(user, disk)
            assert.deepStrictEqual(listing(user.at("outside")), outside, `before call ${number}`)
            assertInside(user, touched)
            most = Math.min(Math.max(most, calls()), 60)
          })
        )
      }
      assert.isAbove(most, 20)
    })
  )

  const Hand = Arbitrary.schema(Schema.Literals(Object.keys(hands)))
  const Call = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })))
  it.live.prop(
    "stays inside, whatever several hands do one after the other",
    [Hand, Hand, Call],
    ([first, second, number]) =>
      Effect.gen(function* () {
        const user = yield* makeUser
        doAs(first)(user)
        let outside = listing(user.at("outside"))
        // Through a link that the first has put there, the second can write outside: that is not one of ours.
        const act = (stranger: typeof user) => {
          assert.deepStrictEqual(listing(user.at("outside")), outside)
          doAs(second)(stranger)
          outside = listing(user.at("outside"))
        }
        const { disk, touched } = disturbed(user, number, act)
        yield* visit(user, disk)
        assert.deepStrictEqual(listing(user.at("outside")), outside)
        assertInside(user, touched)
      }).pipe(Effect.scoped),
    { arbitrary: { runs: 60 } }
  )
})
