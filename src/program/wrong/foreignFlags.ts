/** Flags of the CLIs themselves, and what they are called here; pure. */

const flags: Readonly<Record<string, readonly [cli: string, here: string]>> = {
  yolo: ["gemini", "--permission-mode bypass"],
  "approval-mode": ["gemini", "--permission-mode"],
  "dangerously-skip-permissions": ["claude", "--permission-mode bypass"],
  "dangerously-bypass-approvals-and-sandbox": ["codex", "--permission-mode bypass"],
  "full-auto": ["codex", "--permission-mode accept-edits"],
  "ask-for-approval": ["codex", "--permission-mode"],
  sandbox: ["codex", "--permission-mode"],
  print: ["claude", "reins run, without it"],
  "output-format": ["claude", "--output text, json or events"],
  "output-last-message": ["codex", "--output text > FILE"],
  allowedTools: ["claude", "--allowed-tools"],
  disallowedTools: ["claude", "--disallowed-tools"],
  "include-directories": ["gemini", "--add-dir"],
  cd: ["codex", "--cwd"],
  dir: ["opencode", "--cwd"],
  image: ["codex", "--attach"],
  variant: ["opencode", "--effort"],
  "json-schema": ["claude", "--output-schema FILE"],
  "fork-session": ["claude", "--fork"],
  "no-session-persistence": ["claude", "--ephemeral"]
}

/** Undefined for a flag of nobody. */
export const foreignFlag = (option: string): string | undefined => {
  const name = option.replace(/^--/, "")
  const known = Object.hasOwn(flags, name) ? flags[name] : undefined
  return known === undefined ? undefined : `${option} is a flag of ${known[0]}. Here: ${known[1]}`
}
