// VitePress's own theme, in the fonts of the machine: its font files weigh more than the pages.
export { default } from "vitepress/theme-without-fonts";
