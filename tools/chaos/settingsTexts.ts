/** Settings files as users have them: `undefined` where the file is missing, `null` where its directory is, too. */

export interface SettingsText {
  readonly name: string
  readonly text: string | undefined | null
}

export const settingsTexts: readonly [SettingsText, ...ReadonlyArray<SettingsText>] = [
  { name: "no directory", text: null },
  { name: "no file", text: undefined },
  { name: "plain", text: '{ "theme": "dark" }' },
  { name: "lines", text: '{\n  "theme": "dark",\n  "ui": {\n    "size": 1\n  }\n}\n' },
  {
    name: "comments",
    text: '// settings of mine\n{\n  /* mine */\n  "theme": "dark", // not "light"\n\t"model": { "name": "x" }\n}'
  },
  {
    name: "servers",
    text: '{"theme": "dark", "mcpServers": { "own": { "command": "own" },\r\n "chaos-0-1": { "command": "mine" } } }\r\n'
  }
]
