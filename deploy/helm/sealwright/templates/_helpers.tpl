{{- define "sealwright.name" -}}
{{- if contains .Chart.Name .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "sealwright.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "sealwright.labels" -}}
{{ include "sealwright.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "sealwright.host" -}}
{{ include "sealwright.name" . }}.{{ .Release.Namespace }}.svc
{{- end -}}

{{- define "sealwright.scheme" -}}
{{ eq .Values.tls.mode "own" | ternary "https" "http" }}
{{- end -}}

{{- define "sealwright.port" -}}
{{ eq .Values.tls.mode "own" | ternary 443 80 }}
{{- end -}}

{{- define "sealwright.url" -}}
{{- $own := printf "%s://%s" (include "sealwright.scheme" .) (include "sealwright.host" .) -}}
{{ .Values.publicUrl | default $own }}
{{- end -}}

{{- /* Host of the public URL, of the Service, and of a forwarded port */ -}}
{{- define "sealwright.tlsNames" -}}
{{- $public := (urlParse (include "sealwright.url" .)).hostname -}}
{{- $names := list $public (include "sealwright.host" .) "localhost" -}}
{{ concat $names .Values.tls.names | uniq | join "," }}
{{- end -}}

{{- define "sealwright.secret" -}}
{{ .Values.secret | default (include "sealwright.name" .) }}
{{- end -}}
