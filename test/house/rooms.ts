/**
 * The order of src: a room imports only rooms above it. The one list of them; the linter's rules are made of it
 * (`npm run house` writes them), so that an import against the order is an error where it is written.
 */

/** From the top: each may import those before it. `.` are the public modules at the root of src. */
export const rooms = [
  "types",
  "contract",
  "text",
  "messages",
  "actions",
  "format",
  "attachments",
  "errors",
  "clock",
  "cli",
  "answers",
  "process",
  "stored",
  "locks",
  "guard",
  "worktrees",
  "settings",
  "approvals",
  "hostTools",
  "engine",
  "run",
  "session",
  "telemetry",
  "store",
  "prices",
  "ledger",
  "sessions",
  "journal",
  "delivery",
  "config",
  "feed",
  "several",
  "facts",
  ".",
  "plain",
  "aiSdk",
  "gateway",
  "bridge",
  "channels",
  "cluster",
  "acpServer",
  "program",
  "testing"
] as const

/** Files at the root of src that are no public modules: they export what others have, and nobody imports them. */
export const doors = [
  "index.ts",
  "promise.ts",
  "aiSdk.ts",
  "bridge.ts",
  "cluster.ts",
  "testing.ts",
  "testingEffect.ts"
] as const

/** Rooms for which a CLI's own folder is closed: what they know of a CLI is `cli/Cli.ts`. */
export const withoutVendors: ReadonlyArray<string> = rooms.slice(rooms.indexOf("cli") + 1, rooms.indexOf("."))

/** What a CLI's own folder may import beside itself and the files that all CLIs share. */
export const forVendors = ["types", "contract", "text", "errors", "attachments"] as const

/** Folders of CLIs that are built on another's. */
export const builtOn: Readonly<Record<string, ReadonlyArray<string>>> = { gemini: ["acp"], opencode: ["acp"] }

/** A CLI's own folder is pure: of `effect` and of Node it has data alone. */
export const notForVendors = [
  "Cause",
  "Deferred",
  "Effect",
  "Exit",
  "Fiber",
  "Layer",
  "Queue",
  "Scope",
  "Stream"
] as const
export const modulesForVendors = ["effect", "node:path", "node:crypto"] as const
