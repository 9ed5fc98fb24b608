/** Text without what a terminal acts on: sequences and control characters, but tab and line feed; pure. */

const ansi = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

export const stripControls = (text: string) => text.replace(ansi, "").replace(controls, "")
