import { ActionIcon, Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { Icon } from '../ui/icons.js';

const SCHEMES = [
  { value: 'auto', label: 'System', icon: 'deviceDesktop' },
  { value: 'light', label: 'Light', icon: 'sun' },
  { value: 'dark', label: 'Dark', icon: 'moon' },
] as const;

function schemeOf(value: string): MantineColorScheme {
  return SCHEMES.find((scheme) => scheme.value === value)?.value ?? 'auto';
}

/** System, light or dark; kept in this browser. */
export function ThemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const { icon, label } = SCHEMES.find(({ value }) => value === colorScheme) ?? SCHEMES[0];
  return (
    <Menu width={150}>
      <Menu.Target>
        <ActionIcon aria-label={`Theme: ${label}`}>
          <Icon name={icon} size={17} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={colorScheme} onChange={(value) => setColorScheme(schemeOf(value))}>
          {SCHEMES.map(({ value, label: name, icon: choice }) => (
            <Menu.RadioItem
              key={value}
              value={value}
              closeMenuOnClick
              rightSection={<Icon name={choice} size={15} />}
            >
              {name}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
