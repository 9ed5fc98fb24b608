/** The order of the rooms → the linter's configuration: one override for each folder of src and each depth in it; pure. */
import { builtOn, doors, forVendors, modulesForVendors, notForVendors, rooms, withoutVendors } from "./rooms.ts"

interface Restriction {
  readonly group: ReadonlyArray<string>
  readonly message: string
  readonly importNamePattern?: string
}

const override = (folder: string, patterns: ReadonlyArray<Restriction>) => ({
  includes: [`${folder}/*.ts`],
  linter: { rules: { style: { noRestrictedImports: { level: "error", options: { patterns } } } } }
})

/** Nothing outside but these. */
const only = (outside: string, allowed: ReadonlyArray<string>) => [`${outside}**`, ...allowed.map((path) => `!${path}`)]

const up = (levels: number) => "../".repeat(levels)

const ofVendor = (folder: string, vendor: string, depth: number) => {
  const [src, cli] = [up(depth), up(depth - 1)]
  const shared = `${cli}*.ts`
  const others = (builtOn[vendor] ?? []).map((other) => `${cli}${other}/**`)
  const above = forVendors.map((room) => `${src}${room}/**`)
  return override(folder, [
    {
      group: only(cli, [shared, ...above, ...others]),
      message: `A CLI's folder imports only itself, cli/*.ts, ${forVendors.join(", ")}${others.length > 0 ? ` and ${builtOn[vendor]}` : ""}.`
    },
    {
      group: ["*", ...modulesForVendors.map((name) => `!${name}`), "effect/**", "!./**", "!../**"],
      message: "A CLI's folder is pure: it knows no process, scope or stream."
    },
    {
      group: ["effect"],
      importNamePattern: notForVendors.join("|"),
      message: "A CLI's folder is pure: it knows no process, scope or stream."
    }
  ])
}

const ofRoom = (folder: string, room: (typeof rooms)[number], depth: number) => {
  const above = rooms.slice(0, rooms.indexOf(room))
  const src = up(depth)
  const allowed = above.flatMap((name) => (name === "." ? [`${src}*.ts`] : [`${src}${name}/**`]))
  const closedDoors = above.includes(".") ? doors.map((door) => `${src}${door}`) : []
  const vendors = withoutVendors.includes(room) ? [`${src}cli/*/**`, `${src}cli/clis.ts`] : []
  const message =
    above.length === 0
      ? `${room} imports no other room.`
      : `${room} imports only the rooms above it: ${above.join(", ")}${vendors.length > 0 ? " (and no CLI's own folder)" : ""}.`
  return override(folder, [{ group: [...only(src, allowed), ...closedDoors, ...vendors], message }])
}

const below = rooms.slice(rooms.indexOf(".") + 1)

/** Of the public modules; the doors beside them may export from anywhere. */
const ofRoot = () => {
  const rule = override("src", [
    {
      group: [...below.map((room) => `./${room}/**`), ...doors.map((door) => `./${door}`)],
      message: `A public module imports no door and none of ${below.join(", ")}.`
    }
  ])
  return { ...rule, includes: [...rule.includes, ...doors.map((door) => `!src/${door}`)] }
}

const ruleOf = (folder: string) => {
  const [, first = ".", vendor] = folder.split("/")
  const depth = folder.split("/").length - 1
  const room = rooms.find((name) => name === first)
  if (room === undefined) throw new Error(`${folder} has no place in the order of the rooms (test/house/rooms.ts)`)
  if (room === ".") return ofRoot()
  return room === "cli" && vendor !== undefined ? ofVendor(folder, vendor, depth) : ofRoom(folder, room, depth)
}

/** A file of the linter's configuration. `folders`: all of src that have files, such as `src/cli/claude`. */
export const linterRules = (folders: ReadonlyArray<string>) =>
  `{ "overrides": [\n${folders.map((folder) => JSON.stringify(ruleOf(folder))).join(",\n")}\n] }\n`
