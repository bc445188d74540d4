// Node reads the configuration itself: the bundler of VitePress does not know the language level of this project.
const file = new URL('../config.ts', import.meta.url);

export default (await import(file.href)).config;
