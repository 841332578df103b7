import {
  ActionIcon,
  Button,
  Checkbox,
  createTheme,
  Menu,
  Modal,
  NativeSelect,
  PasswordInput,
  SegmentedControl,
  Switch,
  Tabs,
  Textarea,
  TextInput,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

const ink: MantineColorsTuple = [
  '#e9f0f6',
  '#d3e1ee',
  '#b9cde0',
  '#8ab8e0',
  '#5f94c3',
  '#3f77a8',
  '#2f6391',
  '#23527c',
  '#1b4265',
  '#12304c',
];

const seal: MantineColorsTuple = [
  '#fbe9e7',
  '#f6d0cc',
  '#f2b1ab',
  '#f2918a',
  '#da6a61',
  '#c64a41',
  '#b63a31',
  '#a8281f',
  '#8b1f18',
  '#6b1611',
];

const small = { size: 'xs' } as const;

/** One considered look: ink on paper, small controls, system fonts. Colours of text live in tokens.css. */
export const theme = createTheme({
  colors: { ink, seal },
  primaryColor: 'ink',
  primaryShade: { light: 7, dark: 3 },
  autoContrast: true,
  luminanceThreshold: 0.36,
  respectReducedMotion: true,
  cursorType: 'pointer',
  defaultRadius: 'var(--v-radius-small)',
  fontFamily: 'var(--v-sans)',
  fontFamilyMonospace: 'var(--v-mono)',
  fontSizes: {
    xs: 'var(--v-fs-body)',
    sm: 'var(--v-fs-body)',
    md: 'var(--v-fs-section)',
    lg: 'var(--v-fs-section)',
    xl: 'var(--v-fs-page)',
  },
  components: {
    Button: Button.extend({ defaultProps: { ...small, variant: 'default' } }),
    ActionIcon: ActionIcon.extend({ defaultProps: { size: 28, variant: 'subtle', color: 'gray' } }),
    TextInput: TextInput.extend({ defaultProps: small }),
    PasswordInput: PasswordInput.extend({ defaultProps: small }),
    Textarea: Textarea.extend({ defaultProps: small }),
    NativeSelect: NativeSelect.extend({ defaultProps: small }),
    Checkbox: Checkbox.extend({ defaultProps: small }),
    Switch: Switch.extend({ defaultProps: small }),
    SegmentedControl: SegmentedControl.extend({ defaultProps: { ...small, withItemsBorders: false } }),
    Tabs: Tabs.extend({ defaultProps: { keepMounted: false } }),
    Menu: Menu.extend({ defaultProps: { shadow: 'none', position: 'bottom-end', withinPortal: true } }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        radius: 'var(--v-radius)',
        size: 460,
        closeButtonProps: { 'aria-label': 'Close' },
      },
    }),
  },
});

/** Mantine's own variables bent to our tokens: its defaults fail WCAG AA for secondary text and placeholders. */
export const cssVariables: CSSVariablesResolver = () => {
  const shared = {
    '--mantine-color-body': 'var(--v-surface)',
    '--mantine-color-text': 'var(--v-text)',
    '--mantine-color-bright': 'var(--v-text)',
    '--mantine-color-dimmed': 'var(--v-text-2)',
    '--mantine-color-placeholder': 'var(--v-text-3)',
    '--mantine-color-anchor': 'var(--v-accent)',
    '--mantine-color-error': 'var(--v-bad)',
    '--mantine-color-default': 'var(--v-surface)',
    '--mantine-color-default-hover': 'var(--v-hover)',
    '--mantine-color-default-color': 'var(--v-text)',
    '--mantine-color-default-border': 'var(--v-control-line)',
    '--mantine-color-gray-light-hover': 'var(--v-hover)',
    '--mantine-color-gray-light-color': 'var(--v-text-2)',
    '--mantine-color-disabled': 'var(--v-sunken)',
    '--mantine-color-disabled-color': 'var(--v-text-3)',
    '--mantine-color-disabled-border': 'var(--v-line)',
  };
  return {
    variables: {},
    light: { ...shared, '--v-control-line': '#d5d1c9' },
    dark: { ...shared, '--v-control-line': '#3c3a36' },
  };
};
