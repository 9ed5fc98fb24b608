/** The name of a conversation's worktree, of which its branch and its directory are made: the same on every file system; pure. */
import { createHash } from "node:crypto"
import { type KeyParts, keyText } from "../turns/conversationKey.ts"

const longest = 40
const isPlain = (text: string) => /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/.test(text) && !text.includes("--")
const digest = (text: string, length: number) => createHash("sha256").update(text).digest("hex").slice(0, length)

/** A key of one plain word is its own name; others get a hash, so that no two have the same. */
export const worktreeName = (key: KeyParts): string => {
  const [only = "", ...more] = key
  if (more.length === 0 && isPlain(only)) return only
  const words = key
    .join("-")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, longest)
    .replaceAll(/-+$/g, "")
  return `${words === "" ? "" : `${words}--`}${digest(keyText(key), 8)}`
}

/** Unique among the worktrees of all repositories, since git registers a worktree by the last part of its path. */
export const directoryName = (name: string, gitDirectory: string): string => `${name}.${digest(gitDirectory, 8)}`
