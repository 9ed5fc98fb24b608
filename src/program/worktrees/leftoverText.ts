/** A leftover of a worktree and its cure as a sentence; pure. */
import type { WorktreeLeftover } from "../../contract/Worktrees.ts"

/** `name` is harmless. */
export const leftoverText = (kind: WorktreeLeftover["kind"], name: string): string => {
  switch (kind) {
    case "missing":
      return `${name}: its files were removed by hand; its next turn restores them, and reins worktrees remove ${name} gives it up`
    case "making":
      return `${name}: its host died while it was made; its next turn begins anew, and reins worktrees remove ${name} --discard gives it up`
    case "unknown":
      return `${name}: belongs to no worktree of this store; remove it by hand if no other store has it`
    case "stored":
      return `${name}: is stored in git, and its files are still there: reins worktrees clean removes them`
    case "half_applied":
      return `${name}: has changes that are half applied, since their host died: reins worktrees clean finishes them`
    case "no_repository":
      return `${name}: its repository is gone; reins worktrees remove ${name} --discard gives it up`
  }
}
