/** A rule that denies a command finds it however it is written. */
import { describe, expect, it } from "vitest"
import { fits } from "../../../src/agents/approvals/matching.ts"
import type { Match } from "../../../src/contract/Rule.ts"
import { command, type request, workingDirectory } from "./requests.ts"

const matches = (match: Match, input: ReturnType<typeof request>, mode: "deny") =>
  fits(match, input, mode, workingDirectory)

describe("a rule that denies git push", () => {
  it.each([
    ...[
      "git push",
      "git push -f",
      "git  push\t-f",
      "ls; git push",
      "ls && git push",
      "ls || git push",
      "ls & git push"
    ],
    ...["ls|git push", "ls |& git push", "ls;git push;ls"],
    ...["ls\ngit push", "(git push)", "{ git push; }", "$(git push)", "`git push`", "cat <(git push)", "a=$(git push)"],
    ...[
      'echo "$(git push)"',
      'echo "$(git "push")"',
      'echo "`git push`"',
      "echo `echo \\`git push\\``",
      "A=1 git push"
    ],
    ...[
      "git 'push'",
      '"git" push',
      "\\git push",
      "gi\\\nt push",
      "/usr/bin/git push",
      "sudo -u x git push",
      "env -i git push"
    ],
    ...[
      'bash -c "git push"',
      "sh -c 'ls; git push'",
      "eval git push",
      "sudo bash -c \"sh -c 'git push'\"",
      "! git push"
    ],
    ...["git push>f", ">f git push", "2>f git push", "git >&2 push", "git &>f push", "if true; then git push; fi"],
    ...[
      "bash <<E\ngit push\nE",
      "cat <<E\nit's\nE\ngit push",
      "echo $'\\'; git push #'",
      "# it's\ngit push",
      "$(true) git push"
    ],
    ...[
      "x() { git push; }; x",
      "case a in a) git push;; esac",
      "find . -exec git push {} \\;",
      "git push #",
      "$X git push"
    ],
    "git $(x) push",
    "echo $'\\''; git push; echo 'a'",
    "git push; echo '",
    ...["\r", "\u00a0", "\v", "\f", "\u2028"].map((blank) => `git ${blank}#~$&git push`)
  ])("sees it in %j", (text) =>
    expect(matches({ commands: ["git push", "git push *"] }, command(text), "deny")).toBe(true)
  )

  it.each(["git pull", 'git commit -m "no git push"', "echo git push", "git status # git push", "echo 'a; git push'"])(
    "leaves %s alone",
    (text) => expect(matches({ commands: ["git push", "git push *"] }, command(text), "deny")).toBe(false)
  )

  it("patterns are tried on the whole text, too", () =>
    expect(matches({ commands: ["curl * | sh"] }, command("curl x | sh"), "deny")).toBe(true))
})
